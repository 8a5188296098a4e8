/** Smaller pieces are joined, so that their number stays small. */
const PIECE = 4096;

/** The end of an output, at most a number of bytes, cut between characters. */
export class OutputBuffer {
  private readonly pieces: Buffer[] = [];
  private size = 0;
  private dropped = false;

  constructor(private readonly limit: number) {}

  append(text: string): void {
    const bytes = Buffer.from(text);
    const last = this.pieces.at(-1);
    if (last !== undefined && last.length < PIECE) {
      this.pieces[this.pieces.length - 1] = Buffer.concat([last, bytes]);
    } else {
      this.pieces.push(bytes);
    }
    this.size += bytes.length;
    let first = this.pieces[0];
    while (first !== undefined && this.size - first.length >= this.limit) {
      this.pieces.shift();
      this.size -= first.length;
      this.dropped ||= first.length > 0;
      first = this.pieces[0];
    }
  }

  /** Whether the beginning is missing. */
  get truncated(): boolean {
    return this.dropped || this.size > this.limit;
  }

  text(): string {
    const bytes = Buffer.concat(this.pieces);
    let start = Math.max(0, bytes.length - this.limit);
    // A byte that continues a character is no place to begin.
    while (start > 0 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
    return bytes.toString("utf8", start);
  }
}
