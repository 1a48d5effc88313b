/** Tables of mistakes: a spec with one thing wrong, and what its author should be told. */
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';
import { validateTrainingJob } from '../../../src/model/training-job/validation/validation';
import { shortForm } from '../jobs';

/** One mistake: what it is, the fields that are wrong, and the violation that it leads to. */
export type Mistake = [what: string, spec: object, path: string, value: unknown, parts: string[]];

/** A valid job of PyTorch with other fields laid over it; `undefined` takes a field away. */
export function job(fields: object): TrainingJobSpec {
  return { ...shortForm('pytorch', 2), ...fields };
}

/** A job of PyTorch in long form. */
export function jobWithRoles(roles: unknown, fields: object = {}): TrainingJobSpec {
  return job({ replicas: undefined, roles, ...fields });
}

/** Runs a table: every mistake leads to exactly one violation, at its path, with its value, and with all parts in the message. */
export function testMistakes(mistakes: readonly Mistake[]): void {
  test.each(mistakes)('%s', (_what, spec, path, value, parts) => {
    const violations = validateTrainingJob('net', spec as TrainingJobSpec);
    expect(violations).toEqual([{ path, value, message: expect.any(String) }]);
    for (const part of parts) {
      expect(violations[0].message).toContain(part);
    }
    // A sentence, so that it reads well after the value.
    expect(violations[0].message).toMatch(/[.?]$/);
  });
}
