/** Lines of what is wrong, as synth tells them. */
import type { GpuOperatorViolation } from '../../model/gpu-operator/rules';
import { formatViolation } from '../../model/violations';

/** A line for each, with its source. */
export function errorLines(kind: string, name: string, violations: readonly GpuOperatorViolation[]): string[] {
  return violations.map((violation) => `${kind} '${name}': ${formatViolation(violation)} (${violation.source})`);
}
