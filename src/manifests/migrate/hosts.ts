/**
 * Host names in commands, arguments and variables. Replicas have other names here, so a job that connects to `NAME-master-0` would wait forever. The
 * coordinator's name becomes `$(MASTER_ADDR)`, which Kubernetes replaces; for all others a note has the new name.
 */
import type { JobDraft, JobMetadata, OldHosts, RoleDraft } from './job';
import type { Notes } from './notes';
import { PodAddressBook } from '../../model/frameworks/address-book';
import { frameworkContract } from '../../model/frameworks/registry';
import { podName } from '../../model/names';
import { expressionOf, quotedPattern } from '../../model/text/expressions';

/** The variable with the coordinator's host. */
const COORDINATOR = '$(MASTER_ADDR)';

/** The draft with the coordinator's old name replaced. */
export function withoutOldHosts(draft: JobDraft, metadata: JobMetadata, notes: Notes): JobDraft {
  const rename = new HostRenaming(draft, metadata, notes);
  return { ...draft, roles: draft.roles.map((role) => rename.inRole(role)) };
}

class HostRenaming {
  private readonly coordinator: string;
  private readonly hasVariable: boolean;
  private readonly expressions = new Map<OldHosts, RegExp>();

  public constructor(private readonly draft: JobDraft, private readonly metadata: JobMetadata, private readonly notes: Notes) {
    const { roles, launcherGivesRanks } = frameworkContract(draft.framework);
    const ranked = roles.map(({ name }) => name).filter((name) => draft.roles.some((role) => role.name === name));
    this.coordinator = ranked[0] ?? draft.roles[0].name;
    this.hasVariable = !launcherGivesRanks && draft.fields.elastic === undefined;
  }

  public inRole(role: RoleDraft): RoleDraft {
    const texts = (list: readonly string[] | undefined, field: string) => list?.map((text, index) => this.replaced(text, `${role.containerPath}.${field}[${index}]`));
    this.search(role);
    return {
      ...role,
      command: texts(role.command, 'command'),
      args: texts(role.args, 'args'),
      env: role.env.map((entry) => (entry.value === undefined ? entry : { ...entry, value: this.replaced(entry.value, `${role.containerPath}.env['${entry.name}']`) })),
    };
  }

  private replaced(text: string, path: string): string {
    return this.draft.oldHosts.reduce((result, host) => result.replace(this.expression(host), (found: string, group: string | number) => {
      // Without a group, the second argument is the offset of the match.
      const index = typeof group === 'string' ? group : undefined;
      const isCoordinator = this.hasVariable && host.role === this.coordinator && indexHere(host, index) === 0;
      if (isCoordinator) {
        this.notes.changed(path, found, `is ${COORDINATOR}: pods have different names here.`);
        return COORDINATOR;
      }
      this.noteName(path, found, host, index);
      return found;
    }), text);
  }

  /** Other containers than the training container do not have MASTER_ADDR. */
  private search({ template, podPath }: RoleDraft): void {
    for (const list of ['initContainers', 'containers']) {
      const text = JSON.stringify(template.spec?.[list] ?? '');
      for (const host of this.draft.oldHosts) {
        for (const [found, index] of text.matchAll(this.expression(host))) {
          this.noteName(`${podPath}.${list}`, found, host, index);
        }
      }
    }
  }

  private noteName(path: string, found: string, host: OldHosts, index: string | undefined): void {
    const name = this.nameHere(host, index);
    if (found !== name && !found.startsWith(`${name}.`)) {
      this.notes.differs(path, found, `is a different host here: ${name} with the operator. Write the new name.`);
    }
  }

  private nameHere(host: OldHosts, index: string | undefined): string {
    const singleton = frameworkContract(this.draft.framework).roles.find(({ name }) => name === host.role)?.singleton ?? false;
    const pod = podName(this.metadata.name, host.role, indexHere(host, index), singleton);
    return new PodAddressBook(this.metadata.name).host({ role: host.role, index: 0, ordinal: 0, rank: 0, podName: pod });
  }

  private expression(host: OldHosts): RegExp {
    const known = this.expressions.get(host);
    const expression = known ?? expressionOf(`(?<![A-Za-z0-9.-])${fullPattern(host, this.metadata.namespace)}(?![A-Za-z0-9-]|\\.[A-Za-z])`, 'g');
    this.expressions.set(host, expression);
    return expression;
  }
}

function indexHere({ first = 0 }: OldHosts, index: string | undefined): number {
  return index === undefined ? 0 : Number(index) - first;
}

/** Whether a text is a host name of one of the replicas. */
export function isOldHost(text: string, hosts: readonly OldHosts[]): boolean {
  return hosts.some((host) => expressionOf(`^${fullPattern(host, undefined)}$`).test(text));
}

/** A host name has at most 253 characters, each of which may be escaped; the rest is our own pattern. */
const LONGEST_PATTERN = 1_000;
const LONGEST_NAMESPACE = 253;

/** Matches no text. */
const NOTHING = '(?!)';

/** Matches the name with any part of its domain. */
function fullPattern({ pattern }: OldHosts, namespace: string | undefined): string {
  // No host has such a name, and the length of an expression is limited.
  if (pattern.length > LONGEST_PATTERN || (namespace ?? '').length > LONGEST_NAMESPACE) {
    return NOTHING;
  }
  const domain = namespace === undefined ? '[a-z0-9-]+' : quotedPattern(namespace);
  return `${pattern}(?:\\.${domain}(?:\\.svc(?:\\.cluster\\.local)?)?)?`;
}
