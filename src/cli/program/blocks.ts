/** `runPolicy`, `elastic`, `security` and the smaller blocks as typed properties. */
import { literal, object, type Code } from './code';
import type { ProgramScope } from './scope';
import { duration, Entries, member } from './values';
import type { Fields } from '../../manifests/migrate/fields';

/** Writes one block of a spec from a table of its fields. */
export class Block {
  private readonly written = new Entries();

  /** @param spec the block; undefined writes nothing */
  public constructor(private readonly spec: Fields | undefined, private readonly scope: ProgramScope) {}

  /** Fields that are the same in a program. */
  public plain(...fields: readonly string[]): this {
    fields.forEach((field) => this.typed(field, field, literal));
    return this;
  }

  /** Seconds that are a duration. */
  public duration(field: string, property: string): this {
    return this.typed(field, property, (seconds) => duration(seconds, this.scope));
  }

  /** A word that is a member of an enumeration. */
  public word(field: string, enumeration: string): this {
    return this.typed(field, field, (value) => member(enumeration, value, this.scope));
  }

  /** A block within the block. */
  public block(field: string, write: (block: Block) => Block): this {
    const inner = this.spec?.has(field) ? this.spec.object(field) : undefined;
    this.written.add(field, inner && write(new Block(inner, this.scope)).code);
    return this;
  }

  /** A property that was written already. */
  public insert(property: string, code: Code | undefined): this {
    this.written.add(property, code);
    return this;
  }

  /** Any other field. What `write` gives undefined for stays unread. */
  public typed(field: string, property: string, write: (value: unknown) => Code | undefined): this {
    const code = this.spec?.has(field) ? this.scope.attempt(() => write(this.spec!.peek(field))) : undefined;
    if (code !== undefined) {
      this.spec!.take(field);
      this.written.add(property, code);
    }
    return this;
  }

  /** The block; undefined when there is none, or nothing of it has a typed form. */
  public get code(): Code | undefined {
    if (this.spec === undefined) {
      return undefined;
    }
    const { entries } = this.written;
    return entries.length > 0 || Object.keys(this.spec.value).length === 0 ? object(entries) : undefined;
  }
}

/** Writes `runPolicy`. */
export function runPolicy(spec: Fields | undefined, scope: ProgramScope): Code | undefined {
  return new Block(spec, scope)
    .word('restartPolicy', 'RestartPolicy')
    .plain('backoffLimit')
    .block('backoff', (block) => block.duration('initialSeconds', 'initial').duration('maxSeconds', 'max').duration('resetAfterSeconds', 'resetAfter'))
    .block('exitCodes', (block) => block.plain('recover', 'retry', 'fail'))
    .plain('restartInPlace')
    .duration('startTimeoutSeconds', 'startTimeout')
    .block('nodeLoss', (block) => block.duration('graceSeconds', 'grace').duration('leaseGraceSeconds', 'leaseGrace').word('stuckPods', 'StuckPodPolicy')
      .duration('forceDeleteAfterSeconds', 'forceDeleteAfter'))
    .block('nodeAvoidance', (block) => block.plain('afterFailures').duration('forSeconds', 'avoidFor'))
    .plain('disruptionLimit')
    .duration('activeDeadlineSeconds', 'activeDeadline')
    .duration('ttlSecondsAfterFinished', 'ttlAfterFinished')
    .word('cleanPodPolicy', 'CleanPodPolicy')
    .word('successPolicy', 'SuccessPolicy')
    .block('stall', (block) => block.duration('timeoutSeconds', 'timeout').word('action', 'StallAction'))
    .code;
}

/** Writes `security`. */
export function security(spec: Fields | undefined, scope: ProgramScope): Code | undefined {
  return new Block(spec, scope)
    .plain('restricted', 'runAsUser', 'fsGroup')
    .block('networkPolicy', (block) => block.plain('fromNamespaces').word('egress', 'Egress').plain('toCidrs'))
    .code;
}

/** Writes `elastic`. */
export function elastic(spec: Fields | undefined, scope: ProgramScope): Code | undefined {
  return new Block(spec, scope).plain('minReplicas', 'maxReplicas', 'maxRestarts').code;
}

/** Writes `preflight`. */
export function preflight(spec: Fields | undefined, scope: ProgramScope): Code | undefined {
  return new Block(spec, scope).plain('image').duration('timeoutSeconds', 'timeout').code;
}

/** Writes `idle`. */
export function idle(spec: Fields | undefined, scope: ProgramScope): Code | undefined {
  return new Block(spec, scope).plain('belowPercent').duration('forSeconds', 'duration').word('action', 'IdleAction').code;
}
