import { Fifo } from '../../../src/operator/runtime/fifo';

describe('a line', () => {
  it('keeps its order through growing and shrinking', () => {
    const line = new Fifo<number>();
    const out: number[] = [];
    for (let value = 0; value < 10_000; value++) {
      line.push(value);
      if (value % 3 === 2) {
        out.push(line.shift()!);
      }
    }
    expect(line.size).toBe(10_000 - out.length);
    for (let value = line.shift(); value !== undefined; value = line.shift()) {
      out.push(value);
    }
    expect(out).toEqual(Array.from({ length: 10_000 }, (_, value) => value));
  });
});
