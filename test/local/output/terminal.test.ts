import { hasColours } from '../../../src/local/output/colours';
import { Terminal } from '../../../src/local/output/terminal';

class Recorder {
  public text = '';
  public constructor(public readonly isTTY = false, public readonly columns = 20) {}
  public write(text: string): void {
    this.text += text;
  }
}

afterEach(() => {
  jest.useRealTimers();
});

test('writes plain lines where there is no terminal', () => {
  const [out, err] = [new Recorder(), new Recorder()];
  const terminal = new Terminal(out, err, {});
  terminal.setLive('progress');
  terminal.line(terminal.paintOut('replica', 'cyan'));
  terminal.note('ours');
  expect(out.text).toBe('replica\n');
  expect(err.text).toBe('ours\n');
});

test('keeps the live line below all others, and takes it away at the end', () => {
  jest.useFakeTimers();
  const both = new Recorder(true, 80);
  const terminal = new Terminal(both, both, { NO_COLOR: '1' });
  terminal.setLive('1 of 2');
  jest.advanceTimersByTime(200);
  terminal.line('hello');
  jest.advanceTimersByTime(200);
  terminal.setLive('');
  expect(both.text.replaceAll('\r\x1b[2K', '<clear>')).toBe('<clear>1 of 2<clear>hello\n<clear>1 of 2<clear>');
});

test('cuts the live line before it wraps', () => {
  jest.useFakeTimers();
  const both = new Recorder(true, 10);
  new Terminal(both, both, { NO_COLOR: '1' }).setLive('0123456789abc');
  jest.advanceTimersByTime(200);
  expect(both.text).toBe('\r\x1b[2K012345678');
});

test.each([
  [{}, true, true],
  [{}, false, false],
  [{ NO_COLOR: '1' }, true, false],
  [{ FORCE_COLOR: '1' }, false, true],
  [{ FORCE_COLOR: '0' }, true, false],
  [{ NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
  [{ TERM: 'dumb' }, true, false],
])('with %j and a terminal: %s, colours are %s', (env, isTTY, coloured) => {
  expect(hasColours({ isTTY }, env)).toBe(coloured);
});

test('writes out what a terminal would obey, and keeps line ends, tabs and its own colours', () => {
  const hostile = 'a\u001b[2J\u001b]0;title\u0007\r\u009b1m\u202e\u2028\n\tb';
  const written = 'a\\u001b[2J\\u001b]0;title\\u0007\\u000d\\u009b1m\\u202e\\u2028\n\tb';
  for (const [env, painted] of [[{}, 'x'], [{ FORCE_COLOR: '1' }, '\u001b[31mx\u001b[0m']] as const) {
    const [out, err] = [new Recorder(), new Recorder()];
    const terminal = new Terminal(out, err, env);
    terminal.line(terminal.paintOut('x', 'red') + hostile);
    terminal.note(terminal.paintErr('x', 'red') + hostile);
    expect([out.text, err.text]).toEqual([`${painted}${written}\n`, `${painted}${written}\n`]);
  }
});

test('without colours it obeys no colour either', () => {
  const out = new Recorder();
  new Terminal(out, new Recorder(), {}).line('\u001b[31mred');
  expect(out.text).toBe('\\u001b[31mred\n');
});

test('the output of a user\'s own program is written as it is', () => {
  const out = new Recorder();
  new Terminal(out, new Recorder(), {}).raw('\u001b[31mred');
  expect(out.text).toBe('\u001b[31mred\n');
});
