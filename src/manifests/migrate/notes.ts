/** The report of a migration: what changed, and what was lost. */
import type { Fields } from './fields';

/**
 * `changed`: the same meaning in another form. `differs`: the meaning changes as the note explains. `lost`: there is no equivalent, and the note
 * suggests an alternative. `secret`: a token or key is readable, before and after.
 */
export type NoteLevel = 'changed' | 'differs' | 'lost' | 'secret';

/** One line of the report. */
export interface MigrationNote {
  readonly level: NoteLevel;
  /** Path in the object that was read. */
  readonly path: string;
  /** Its value; undefined if the note is about an absent field. */
  readonly value?: unknown;
  /** Rest of a sentence that begins with the path and the value. */
  readonly message: string;
}

/** Collects notes in the order in which fields are read. */
export class Notes {
  private readonly notes = new Map<string, MigrationNote>();

  public changed(path: string, value: unknown, message: string): void {
    this.add({ level: 'changed', path, value, message });
  }

  public differs(path: string, value: unknown, message: string): void {
    this.add({ level: 'differs', path, value, message });
  }

  public lost(path: string, value: unknown, message: string): void {
    this.add({ level: 'lost', path, value, message });
  }

  /** Reads fields without an equivalent, and reports those that are set. */
  public lose(holder: Fields | undefined, why: string, ...fields: readonly string[]): void {
    for (const field of fields) {
      const value = holder?.take(field);
      if (value !== undefined) {
        this.lost(holder!.at(field), value, why);
      }
    }
  }

  /** The same for fields with different reasons. @param reasons reason of each field */
  public loseEach(holder: Fields, reasons: { readonly [field: string]: string }): void {
    Object.entries(reasons).forEach(([field, why]) => this.lose(holder, why, field));
  }

  /** Reports a role without replicas, and reads all of its fields. @param what the role, such as `the role` */
  public leaveOutEmpty(holder: Fields, what: string): void {
    this.changed(holder.at('replicas'), 0, `${what} is left out: it has no replicas.`);
    holder.takeRest();
  }

  /** All notes, each once. */
  public get all(): readonly MigrationNote[] {
    return [...this.notes.values()];
  }

  private add(note: MigrationNote): void {
    const key = JSON.stringify([note.path, note.message]);
    if (!this.notes.has(key)) {
      this.notes.set(key, note);
    }
  }
}
