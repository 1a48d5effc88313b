/**
 * From chunks of a stream to lines. A progress bar that returns to the start of its line with `\r` shows as what stands there at the end, as on a
 * terminal. A line without an end is cut, so that a program that writes none cannot fill the memory.
 */
import { StringDecoder } from 'node:string_decoder';
import { trimmedEnd } from '../../model/text/trim';

/** Longest line in characters; the rest follows as a line of its own. */
const LINE_MAX_LENGTH = 64 * 1024;

/** Splits one stream. */
export class LineSplitter {
  private readonly decoder = new StringDecoder('utf8');
  private pending = '';

  public constructor(private readonly onLine: (line: string) => void) {}

  /** Takes the next chunk. */
  public write(chunk: Buffer): void {
    const parts = (this.pending + this.decoder.write(chunk)).split('\n');
    this.pending = parts.pop()!;
    parts.forEach((line) => this.emit(line));
    // What a later \r will overwrite need not be kept, but the \r of \r\n may be the last character yet.
    const overwritten = this.pending.lastIndexOf('\r', this.pending.length - 2);
    if (overwritten >= 0) {
      this.pending = this.pending.slice(overwritten + 1);
    }
    while (this.pending.length > LINE_MAX_LENGTH) {
      this.emit(this.pending.slice(0, LINE_MAX_LENGTH));
      this.pending = this.pending.slice(LINE_MAX_LENGTH);
    }
  }

  /** Ends the stream; a last line without an end is a line too. */
  public end(): void {
    const rest = this.pending + this.decoder.end();
    this.pending = '';
    if (rest !== '') {
      this.emit(rest);
    }
  }

  private emit(line: string): void {
    const text = trimmedEnd(line, '\r');
    this.onLine(text.slice(text.lastIndexOf('\r') + 1));
  }
}
