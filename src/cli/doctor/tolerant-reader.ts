/** Reads a cluster that may be partly broken: a failed request becomes a note, and the other requests continue. */
import type { Seen } from './snapshot';
import { Reader } from '../jobs/reader';
import { listed } from '../text';
import { ApiError } from '../../operator/runtime/http/api-error';
import type { KubeObject } from '../../operator/runtime/kube-object';
import { qualifiedPlural, type ResourceKind } from '../../operator/runtime/resource-kind';

export class TolerantReader extends Reader {
  private readonly forbidden = new Set<string>();

  /** Messages about what could not be read: one for everything that is forbidden. */
  public override get unread(): readonly string[] {
    const others = [...[...this.refused].filter(([plural]) => !this.forbidden.has(plural)).map(([, sentence]) => sentence), ...this.cut.values()];
    return this.forbidden.size === 0 ? others
      : [`You do not have permission to read ${listed([...this.forbidden].sort(), this.forbidden.size)}: what depends on them was not checked.`, ...others];
  }

  /** Whether something of a kind could not be read. */
  public isUnreadable({ plural }: ResourceKind): boolean {
    return this.refused.has(plural);
  }

  /** An object: found, missing, or not readable. */
  public async look<T extends KubeObject>(kind: ResourceKind, namespace: string | undefined, name: string): Promise<Seen<T>> {
    let isMissing = false;
    const found = await this.attempt(kind, async () => {
      const object = await this.client.tryGet<T>(kind, { namespace: kind.namespaced ? namespace : undefined, name });
      isMissing = object === undefined;
      return object;
    });
    return found !== undefined ? { found } : isMissing ? 'missing' : 'unreadable';
  }

  /** Any request; undefined if it fails, unlike an answer that is undefined. @param what for the note */
  public async ask<T>(what: string, request: () => Promise<T>): Promise<{ readonly answer: T } | undefined> {
    try {
      return { answer: await request() };
    } catch (error) {
      if (!(error instanceof ApiError)) {
        throw error;
      }
      this.note(`${what} could not be checked: ${error.message}`);
      return undefined;
    }
  }

  /** Adds a note about something that was not checked. */
  public note(sentence: string): void {
    this.refused.set(sentence, sentence);
  }

  /** The first `most` things, with a note if there are more. @param what for the note, in the plural */
  public first<T>(what: string, things: readonly T[], most: number): readonly T[] {
    if (things.length > most) {
      this.note(`Only the first ${most} of ${things.length} ${what} were checked.`);
    }
    return things.slice(0, most);
  }

  protected override async attempt<T>(kind: ResourceKind, read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      if (error instanceof ApiError && error.isNotFound) {
        return undefined;
      }
      if (error instanceof ApiError && error.isForbidden) {
        this.forbidden.add(kind.plural);
        this.refused.set(kind.plural, error.message);
        return undefined;
      }
      if (!(error instanceof ApiError) || error.isUnauthorized) {
        throw error;
      }
      this.refused.set(kind.plural, `${qualifiedPlural(kind)} could not be read: ${error.message}`);
      return undefined;
    }
  }
}
