/**
 * Standard output and error, which may be one terminal: lines of replicas on standard output, our own messages on standard error, and on a terminal a
 * live line at the bottom.
 */
import { SGR, hasColours, painter, type Paint } from './colours';
import { printable, printableLines } from '../../model/text/printable';

/** The part of a stream that is used. */
export interface TerminalStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Redraws at most this often, in milliseconds. */
const REDRAW_MS = 100;

/** Writes lines, and on a terminal keeps the live line below them. */
export class Terminal {
  /** Colours for lines on standard output. */
  public readonly paintOut: Paint;
  /** Colours for lines on standard error. */
  public readonly paintErr: Paint;
  private readonly colouredOut: boolean;
  private readonly colouredErr: boolean;
  private live = '';
  private shown = false;
  private redraw?: NodeJS.Timeout;

  public constructor(
    private readonly out: TerminalStream = process.stdout,
    private readonly err: TerminalStream = process.stderr,
    env: NodeJS.ProcessEnv = process.env,
  ) {
    [this.colouredOut, this.colouredErr] = [hasColours(out, env), hasColours(err, env)];
    this.paintOut = painter(this.colouredOut);
    this.paintErr = painter(this.colouredErr);
  }

  /** Whether a live line can be shown. */
  public get isLive(): boolean {
    return this.err.isTTY === true;
  }

  /** Writes a line to standard output. Text of manifests, clusters and files in it cannot control the terminal. */
  public line(text: string): void {
    this.raw(withoutControls(text, this.colouredOut));
  }

  public lines(texts: readonly string[]): void {
    // One write: there may be half a million lines.
    if (texts.length > 0) {
      this.line(texts.join('\n'));
    }
  }

  public json(value: unknown): void {
    this.line(JSON.stringify(value, undefined, 2));
  }

  /** Writes a result to standard output: as JSON if `output` is `json`, otherwise as lines. */
  public result(output: string, value: unknown, lines: (paint: Paint) => readonly string[]): void {
    if (output === 'json') {
      this.json(value);
    } else {
      this.lines(lines(this.paintOut));
    }
  }

  /** Writes a line to standard output unchanged: the output of the user's program, which may have colours. */
  public raw(text: string): void {
    this.clear();
    this.out.write(`${text}\n`);
    this.scheduleDraw();
  }

  /** Writes a line to standard error. */
  public note(text: string): void {
    this.clear();
    this.err.write(`${withoutControls(text, this.colouredErr)}\n`);
    this.scheduleDraw();
  }

  /** Writes a warning of the command to standard error. */
  public warn(sentence: string): void {
    this.note(this.paintErr(`trainyard: ${sentence}`, 'yellow'));
  }

  /** Sets the live line; an empty text removes it. Does nothing without a terminal. */
  public setLive(text: string): void {
    if (this.isLive && text !== this.live) {
      this.live = text;
      if (text === '') {
        this.clear();
      }
      this.scheduleDraw();
    }
  }

  private clear(): void {
    if (this.shown) {
      this.err.write('\r\x1b[2K');
      this.shown = false;
    }
  }

  /** A burst of lines redraws once. */
  private scheduleDraw(): void {
    if (this.live !== '' && this.redraw === undefined) {
      this.redraw = setTimeout(() => {
        this.redraw = undefined;
        this.draw();
      }, REDRAW_MS).unref();
    }
  }

  private draw(): void {
    if (this.live !== '') {
      // A line that wraps could not be cleared. Some terminals report 0 columns.
      const text = printable(this.live).slice(0, (this.err.columns || 80) - 1);
      this.err.write(`\r\x1b[2K${this.paintErr(text, 'grey')}`);
      this.shown = true;
    }
  }
}

/** A function that passes each message on once. */
export function onceEach(say: (message: string) => void): (message: string) => void {
  const said = new Set<string>();
  return (message) => {
    if (!said.has(message)) {
      said.add(message);
      say(message);
    }
  };
}

/** The text with control characters written out, except our own colours. */
function withoutControls(text: string, coloured: boolean): string {
  return !coloured ? printableLines(text) : text.split(SGR).map((part, index) => (index % 2 === 1 ? part : printableLines(part))).join('');
}
