import { Logger, LoggerOptions } from '../../../../src/operator/runtime/process/logger';

function capture(options: LoggerOptions = {}): { logger: Logger; lines: string[] } {
  const lines: string[] = [];
  return { logger: Logger.create({ write: (line) => lines.push(line), now: () => Date.UTC(2030, 0, 1), env: {}, format: 'json', ...options }), lines };
}

it('writes one JSON object a line, with the fields of all its ancestors', () => {
  const { logger, lines } = capture();
  logger.child({ controller: 'jobs' }).child({ key: 'ns/a' }).info('done', { pods: 4 });
  expect(lines).toEqual(['{"level":"info","ts":"2030-01-01T00:00:00.000Z","msg":"done","controller":"jobs","key":"ns/a","pods":4}\n']);
});

it('writes errors with their stack, their own properties and their causes', () => {
  const { logger, lines } = capture();
  const error = Object.assign(new Error('outer', { cause: new Error('inner') }), { status: 409 });
  logger.error('failed', { error });
  expect(JSON.parse(lines[0])).toMatchObject({
    error: { name: 'Error', message: 'outer', status: 409, stack: expect.stringContaining('outer'), cause: { message: 'inner' } },
  });
});

it('writes all errors that were joined', () => {
  const { logger, lines } = capture();
  logger.error('failed', { error: new AggregateError([new Error('one'), new Error('two')], 'both') });
  expect(JSON.parse(lines[0])).toMatchObject({ error: { message: 'both', errors: [{ message: 'one' }, { message: 'two' }] } });
});

it('drops what is below its level', () => {
  const { logger, lines } = capture({ env: { LOG_LEVEL: 'WARN' } });
  logger.debug('no');
  logger.info('no');
  logger.warn('yes');
  logger.error('yes');
  expect(lines).toHaveLength(2);
  expect([logger.isEnabled('info'), logger.isEnabled('warn')]).toEqual([false, true]);
  Logger.silent().error('nowhere');
});

it('keeps the message of a field that cannot be written', () => {
  const { logger, lines } = capture();
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  logger.info('round', { cycle });
  logger.info('big', { count: 10n });
  expect(JSON.parse(lines[0])).toMatchObject({ msg: 'round', fields: ['cycle'] });
  expect(JSON.parse(lines[1])).toMatchObject({ msg: 'big', count: '10' });
});

it('writes text for people, with the stack of an error where somebody has to look', () => {
  const { logger, lines } = capture({ format: undefined, env: { LOG_FORMAT: 'text' } });
  logger.info('pod made', { pod: 'ns/a', note: 'two words', none: undefined });
  logger.error('failed', { error: new Error('oops') });
  expect(lines[0]).toBe('00:00:00.000 INFO  pod made pod=ns/a note="two words"\n');
  expect(lines[1]).toMatch(/^00:00:00.000 ERROR failed error="oops"\nError: oops\n {4}at /);
});

it('refuses a level or format that it does not know', () => {
  expect(() => capture({ env: { LOG_LEVEL: 'loud' } })).toThrow('Reading LOG_LEVEL from the environment: it is "loud"; it must be one of debug, info, warn, error.');
  expect(() => capture({ format: undefined, env: { LOG_FORMAT: 'xml' } })).toThrow('must be one of json, text');
});
