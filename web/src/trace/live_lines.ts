import type { TraceChanged, TraceLine } from "../../../crates/serve/types.ts";
import { messageOf, Pairing, recorded, type Recorded } from "./lines.ts";

/** The most lines and characters that are kept. */
const KEPT = { lines: 20_000, characters: 32_000_000 };

/** The messages of live connections to an agent, the latest ones. */
export class LiveLines {
  private run: number | null = null;
  private last = 0;
  private firstAt = 0;
  private characters = 0;
  private pairing = new Pairing();
  private all: Recorded[] = [];

  constructor(private readonly kept = KEPT) {}

  /** The lines. Another list after each change. */
  get lines(): Recorded[] {
    return this.all;
  }

  /** What the hub need not send again. */
  get position(): { run: number; number: number } | null {
    return this.run === null ? null : { run: this.run, number: this.last };
  }

  /** Adds what the hub sent. Another run of the hub counts from 1 again. */
  add(changed: TraceChanged): void {
    if (this.run !== changed.run) this.begin(changed);
    const added: Recorded[] = [];
    for (const line of changed.lines) {
      const missing = line.number - this.last - 1;
      if (missing > 0 && this.last > 0) added.push(this.gap(missing));
      added.push(this.line(line));
      this.last = line.number;
    }
    this.all = this.all.concat(added);
    this.shorten();
  }

  private begin({ run, lines }: TraceChanged): void {
    this.run = run;
    this.last = 0;
    this.firstAt = lines[0]?.at ?? 0;
    this.characters = 0;
    this.pairing = new Pairing();
    this.all = [];
  }

  private line(sent: TraceLine): Recorded {
    const { number, text, size } = sent;
    const from = sent.from === "client" ? "client" : "agent";
    const time = (sent.at - this.firstAt) / 1e6;
    const message = sent.isJson ? messageOf(JSON.parse(text)) : null;
    const line = recorded({ line: number, from, time, text, size }, message);
    line.findings = sent.broken.map((broken) => ({ line: number, ...broken }));
    this.pairing.add(line);
    this.characters += text.length;
    return line;
  }

  private gap(missing: number): Recorded {
    const text = missing === 1 ? "1 message left out" : `${missing} messages left out`;
    const place = { line: this.last + 1, from: "agent" as const, time: null };
    return { ...recorded({ ...place, text, size: 0 }, null), kind: "gap" };
  }

  private shorten(): void {
    let drop = Math.max(0, this.all.length - this.kept.lines);
    for (const line of this.all.slice(0, drop)) this.characters -= line.text.length;
    while (this.characters > this.kept.characters && drop < this.all.length - 1) {
      this.characters -= this.all[drop++]?.text.length ?? 0;
    }
    if (drop === 0) return;
    this.all = this.all.slice(drop);
    this.pairing.forget(this.all[0]?.line ?? 0);
  }
}
