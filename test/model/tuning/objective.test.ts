import { loggedObjective, reportedObjective } from '../../../src/model/tuning/objective';
import { computingMs, LITTLE_MS } from '../../support/cpu-time';
import { FILLERS, LONG, longText } from '../../support/hostile-texts';

describe('the objective in a log', () => {
  test.each([
    ['val_accuracy=0.93', 0.93],
    ['epoch 3: val_accuracy: 0.93, loss: 0.1', 0.93],
    ['{"epoch": 3, "val_accuracy": 0.93}', 0.93],
    ['{\'val_accuracy\': \'0.93\'}', 0.93],
    ['step=1 val_accuracy=0.5\nstep=2 val_accuracy=0.93', 0.93],
    ['val_accuracy = -1e-3', -0.001],
    ['The end: val_accuracy=0.93.', 0.93],
    ['train/val_accuracy=0.1 val_accuracy=0.93 my_val_accuracy=0.2', 0.93],
  ])('is the last value in %j', (log, value) => {
    expect(loggedObjective(log, 'val_accuracy')).toEqual({ value });
  });

  test.each([
    ['nothing of it', 'ObjectiveMissing'],
    ['accuracy=0.5', 'ObjectiveMissing'],
    ['val_accuracy=nan', 'ObjectiveNotANumber'],
    ['val_accuracy=0.9\nval_accuracy=nan', 'ObjectiveNotANumber'],
    ['val_accuracy=inf', 'ObjectiveNotANumber'],
    ['val_accuracy=1e999', 'ObjectiveNotANumber'],
    ['val_accuracy=high', 'ObjectiveNotANumber'],
  ])('is none in %j', (log, reason) => {
    const reading = loggedObjective(log, 'val_accuracy');
    expect(reading).toMatchObject({ reason, message: expect.stringContaining('val_accuracy') });
    expect(reading.value).toBeUndefined();
  });

  test('may have a name with signs that patterns mean something by', () => {
    expect(loggedObjective('eval/f1(macro)=0.7', 'eval/f1(macro)')).toEqual({ value: 0.7 });
  });
});

describe('a hostile log', () => {
  test.each([' ', '\t', '=', '"', 'a', 'a b', 'loss', '(a+)+'])('takes no time with the objective %j', (objective) => {
    const logs = [...FILLERS, objective, `${objective} `, `${objective}=`, `"${objective}" : `, `${objective}${' '.repeat(5000)}`].map((filler) => longText(filler));
    for (const log of [...logs, `${objective}${longText(' ', LONG - 1)}`]) {
      expect(computingMs(() => loggedObjective(log, objective))).toBeLessThan(LITTLE_MS);
    }
  });

  test('is not searched for what is not a name', () => {
    expect(loggedObjective('a b=1', 'a b')).toMatchObject({ reason: 'ObjectiveMissing' });
    expect(loggedObjective(' =1', ' ')).toMatchObject({ reason: 'ObjectiveMissing' });
  });

  test('may have a long line: the last value counts', () => {
    expect(loggedObjective(`${'step loss=1 '.repeat(10_000)} loss=0.5`, 'loss')).toEqual({ value: 0.5 });
    expect(loggedObjective('loss=loss=2', 'loss')).toMatchObject({ reason: 'ObjectiveNotANumber' });
  });
});

test('a metric that was reported is taken by its name, and is an answer even when it is not a number', () => {
  const status = { trainerStatus: { metrics: [{ name: 'loss', value: '0.25' }, { name: 'accuracy', value: 'nan' }] } };
  expect(reportedObjective(status, 'loss')).toEqual({ value: 0.25 });
  expect(reportedObjective(status, 'accuracy')).toMatchObject({ reason: 'ObjectiveNotANumber' });
  expect(reportedObjective(status, 'recall')).toBeUndefined();
});
