import { Readable } from 'node:stream';

const NEWLINE = 10;

/**
 * Reads newline-delimited text from `stream` and passes each line to `onLine` as it completes, in order and synchronously.
 * Lines are cut as bytes and decoded whole, so a chunk may end in the middle of a character.
 *
 * Resolves at the end of the stream (a last line without newline is dropped: the connection broke within it). Rejects with the error of
 * the stream, or with what `onLine` threw, after which the stream is destroyed.
 */
export function readLines(stream: Readable, onLine: (line: string) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let unfinished: Buffer[] = [];
    const fail = (error: unknown): void => {
      stream.destroy();
      reject(error as Error);
    };
    stream.on('data', (chunk: Buffer) => {
      let start = 0;
      try {
        for (let end = chunk.indexOf(NEWLINE, start); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
          const rest = chunk.subarray(start, end);
          start = end + 1;
          const line = unfinished.length === 0 ? rest : Buffer.concat([...unfinished, rest]);
          unfinished = [];
          if (line.length > 0) {
            onLine(line.toString('utf8'));
          }
        }
      } catch (error) {
        fail(error);
        return;
      }
      if (start < chunk.length) {
        unfinished.push(start === 0 ? chunk : chunk.subarray(start));
      }
    });
    stream.on('end', resolve);
    stream.on('error', fail);
    // A stream destroyed without an error ends with 'close' alone.
    stream.on('close', resolve);
  });
}
