/** How often the terminal gets output, in milliseconds. */
const PERIOD = 50;

/** The most characters that the terminal gets at once. */
const MOST = 1 << 17;

const LEFT_OUT = "\x1b[0m\x1b[2m[earlier output is left out]\x1b[0m\r\n";

/**
 * Passes output on at a pace at which the editor can draw it, because the editor keeps everything
 * that it has not drawn. Of faster output, only the end is passed on.
 */
export class PacedOutput {
  private waiting = "";
  private isCut = false;
  private isOpen = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly write: (text: string) => void) {}

  add(text: string): void {
    this.waiting += text;
    // Rarely, so that a long text is not copied for each short one.
    if (this.waiting.length > 2 * MOST) this.cut();
    if (this.isOpen) this.timer ??= setTimeout(() => this.flush(), PERIOD);
  }

  /** Passes on what waited until the terminal was open. */
  open(): void {
    this.isOpen = true;
    this.flush();
  }

  dispose(): void {
    this.isOpen = false;
    clearTimeout(this.timer);
  }

  /** Keeps the end, which begins with a line. */
  private cut(): void {
    const end = this.waiting.slice(-MOST);
    this.waiting = end.slice(end.indexOf("\n") + 1);
    this.isCut = true;
  }

  private flush(): void {
    this.timer = undefined;
    if (this.waiting.length > MOST) this.cut();
    const text = (this.isCut ? LEFT_OUT : "") + this.waiting;
    [this.waiting, this.isCut] = ["", false];
    if (text !== "") this.write(text);
  }
}
