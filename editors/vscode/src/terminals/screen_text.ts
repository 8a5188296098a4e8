/** The longest sequence that is kept until its end comes. */
const LONGEST = 256;

/** Colours, and erasing in the line: what output of commands needs. */
const KEPT = /^\x1b\[[0-9;:]*[mK]$/;

/** A sequence as a whole: one with parameters, a string until its end, or another. */
const WHOLE =
  /^(?:\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]P^_X][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-OQ-WYZ`-~])/;

/** The beginning of a sequence. */
const BEGUN = /^(?:\x1b\[[0-?]*[ -/]*|\x1b[\]P^_X][^\x07\x1b]*\x1b?|\x1b[ -/]*)$/;

/**
 * Turns the output of a command into text for a terminal. Of the control sequences only colours and
 * erasing in the line remain: no output sets the clipboard, a title or a link, or answers the
 * terminal.
 */
export class ScreenText {
  private rest = "";

  take(output: string): string {
    let text = this.rest + output;
    this.rest = "";
    let shown = "";
    for (let at = text.indexOf("\x1b"); at >= 0; at = text.indexOf("\x1b")) {
      shown += plainText(text.slice(0, at));
      text = text.slice(at);
      const whole = WHOLE.exec(text)?.[0];
      if (whole !== undefined) {
        if (KEPT.test(whole)) shown += whole;
        text = text.slice(whole.length);
      } else if (BEGUN.test(text) && text.length < LONGEST) {
        this.rest = text;
        return shown;
      } else {
        text = text.slice(1);
      }
    }
    return shown + plainText(text);
  }
}

/** Text without control characters, and with the line endings of a terminal. */
function plainText(text: string): string {
  return text.replace(/[\x00-\x07\x0b-\x0c\x0e-\x1f\x7f-\x9f]/g, "").replaceAll("\n", "\r\n");
}
