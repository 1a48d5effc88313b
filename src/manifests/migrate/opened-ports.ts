/** Container ports without a name that say no more than the job's own port does, which every replica has anyway. */
import type { JobDraft, RoleDraft } from './job';
import type { Notes } from './notes';
import type { Container, PodSpec } from '../kubernetes';
import { TRAINING_CONTAINER } from '../../model/names';
import { DEFAULT_PORT } from '../../model/training-job/spec';
import { isRecord } from '../../model/json-parts';

/** The draft without such ports: engines that look for the port by a name of theirs take it for one too many. */
export function withoutOpenedPorts(draft: JobDraft, notes: Notes): JobDraft {
  const port = draft.fields.port ?? DEFAULT_PORT;
  return { ...draft, roles: draft.roles.map((role) => withoutPort(role, port, notes)) };
}

function withoutPort(role: RoleDraft, port: number, notes: Notes): RoleDraft {
  const { containers = [], ...pod } = (role.template.spec ?? {}) as Partial<PodSpec>;
  const container: Partial<Container> = containers.find(({ name }) => name === TRAINING_CONTAINER) ?? {};
  const { ports = [], ...training } = container;
  const left = ports.filter((entry) => !isBare(entry, port));
  if (left.length === ports.length) {
    return role;
  }
  notes.changed(`${role.containerPath}.ports`, port, 'is left out: it is the job\'s port, which every replica opens.');
  const own = { ...training, ...(left.length > 0 && { ports: left }) } as Container;
  const others = containers.filter(({ name }) => name !== TRAINING_CONTAINER);
  const all = [...(Object.keys(own).length > 1 ? [own] : []), ...others];
  const { spec: _spec, ...template } = role.template;
  const spec = { ...pod, ...(all.length > 0 && { containers: all }) };
  return { ...role, template: { ...template, ...(Object.keys(spec).length > 0 && { spec }) } };
}

function isBare(entry: unknown, port: number): boolean {
  return isRecord(entry) && entry.containerPort === port
    && Object.entries(entry).every(([field, value]) => field === 'containerPort' || (field === 'protocol' && value === 'TCP'));
}
