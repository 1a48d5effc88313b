import { LineSplitter } from '../../../src/local/process/line-splitter';

function split(...chunks: (string | Buffer)[]): string[] {
  const lines: string[] = [];
  const splitter = new LineSplitter((line) => lines.push(line));
  chunks.forEach((chunk) => splitter.write(Buffer.from(chunk as string)));
  splitter.end();
  return lines;
}

test('joins a line that comes in pieces', () => {
  expect(split('one\ntw', 'o\nthr', 'ee')).toEqual(['one', 'two', 'three']);
});

test('keeps empty lines and adds none at the end', () => {
  expect(split('a\n\nb\n')).toEqual(['a', '', 'b']);
});

test('takes \\r\\n for one end of line, also when it comes in two pieces', () => {
  expect(split('a\r\nb\r', '\nc')).toEqual(['a', 'b', 'c']);
});

test('shows of a progress bar what stands there at the end', () => {
  expect(split('\r 10%', '\r 50%', '\r100%', '\ndone\n')).toEqual(['100%', 'done']);
});

test('puts characters together whose bytes come apart', () => {
  const bytes = Buffer.from('é€\n');
  expect(split(bytes.subarray(0, 1), bytes.subarray(1, 3), bytes.subarray(3))).toEqual(['é€']);
});

test('cuts a line that never ends', () => {
  const lines = split('x'.repeat(100_000), 'x'.repeat(100_000));
  expect(lines.join('')).toHaveLength(200_000);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(64 * 1024);
});
