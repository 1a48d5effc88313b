import { EventEmitter } from 'node:events';
import { Logger } from '../../../../src/operator/runtime/process/logger';
import { handleShutdown } from '../../../../src/operator/runtime/process/shutdown';

class FakeProcess extends EventEmitter {
  public readonly codes: number[] = [];

  public exit(code: number): void {
    this.codes.push(code);
  }
}

const logger = Logger.silent();

it('turns the first signal into an abort, and the second into an end at once', () => {
  const target = new FakeProcess();
  const shutdown = handleShutdown({ logger, process: target });
  expect(shutdown.signal.aborted).toBe(false);
  target.emit('SIGTERM');
  expect([shutdown.signal.aborted, target.codes]).toEqual([true, []]);
  target.emit('SIGINT');
  expect(target.codes).toEqual([130]);
  shutdown.dispose();
});

it('ends the process at the deadline when the orderly end does not come', async () => {
  const target = new FakeProcess();
  const shutdown = handleShutdown({ logger, process: target, deadlineMs: 5 });
  const exited = new Promise<number>((resolve) => (target.exit = resolve));
  shutdown.request('test');
  // The deadline does not keep the process alive; something else must, as in service.
  const alive = setInterval(() => undefined, 1);
  expect(await exited).toBe(1);
  clearInterval(alive);
  shutdown.dispose();
});

it('leaves nothing behind after an orderly end', async () => {
  const target = new FakeProcess();
  const shutdown = handleShutdown({ logger, process: target, deadlineMs: 5 });
  shutdown.request('test');
  shutdown.dispose();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect([target.codes, target.eventNames()]).toEqual([[], []]);
});

it.each(['uncaughtException', 'unhandledRejection'])('ends the process with code 1 after an %s', (event) => {
  const target = new FakeProcess();
  const shutdown = handleShutdown({ logger, process: target });
  target.emit(event, new Error('nobody caught me'));
  expect(target.codes).toEqual([1]);
  shutdown.dispose();
});
