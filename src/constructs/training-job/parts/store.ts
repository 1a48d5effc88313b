/** Where a job's checkpoints go: a folder of its own on a claim, or in a store that is applied before the job. */
import type { JobContext, JobPart } from './part';
import { storeFindings, withStore } from '../checkpoints/checkpoint-binding';

/** See the top of this file. */
export function storePart({ props: { checkpoint }, engine, name, namespace }: JobContext): JobPart | undefined {
  if (checkpoint === undefined) {
    return undefined;
  }
  const binding = checkpoint._binding;
  const shared = () => ({ checkpoint: checkpoint._of(name())._asOf(name()) });
  return binding === undefined ? { shared } : {
    shared,
    bind: () => [binding.store],
    apply: (spec) => withStore(name(), spec, binding),
    findings: (job) => storeFindings({ engine, job, namespace: namespace() }, binding),
    join: (findings) => binding.join(name, findings),
  };
}
