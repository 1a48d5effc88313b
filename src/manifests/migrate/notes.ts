/** The report of a migration: what became something else, and what became nothing. */
import type { Fields } from './fields';

/**
 * `changed`: the same meaning in other words. `differs`: the meaning is another, and the note says how. `lost`: there is nothing of the kind here,
 * and the note says what to do instead. `secret`: a token or key is written out, here as there.
 */
export type NoteLevel = 'changed' | 'differs' | 'lost' | 'secret';

/** One line of the report. */
export interface MigrationNote {
  readonly level: NoteLevel;
  /** Where it stands in the object that was read. */
  readonly path: string;
  /** What stands there; undefined when the note is about a field that is not given. */
  readonly value?: unknown;
  /** A sentence that goes on after the path and the value. */
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

  /** Takes fields that have no equivalent, and notes those that are given. */
  public lose(holder: Fields | undefined, why: string, ...fields: readonly string[]): void {
    for (const field of fields) {
      const value = holder?.take(field);
      if (value !== undefined) {
        this.lost(holder!.at(field), value, why);
      }
    }
  }

  /** All of them, each once. */
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
