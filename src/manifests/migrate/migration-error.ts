/** What makes an object unreadable: one place, what stands there, and what to do. */
import { formatViolation } from '../../model/violations';

/** Thrown by readers, and caught where the next object begins. */
export class MigrationError extends Error {
  public readonly name = 'MigrationError';

  /**
   * @param path field of the object that was read; empty for the object itself
   * @param value what stands there
   * @param rule the rule and the fix, as one or two sentences
   */
  public constructor(public readonly path: string, public readonly value: unknown, public readonly rule: string) {
    super(path === '' ? rule : formatViolation({ path, value, message: rule }));
  }
}
