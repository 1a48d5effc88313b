/** A story that an alert is for, and one that looks like it and is none. */

/** Series with their values in promtool's notation, one a minute: `0+6x30` begins at 0 and grows by 6 for 30 minutes. */
export type Series = { readonly [series: string]: string };

/** See the top of this file. */
export interface AlertCase {
  /** Title of the system, as in `systems.ts`. */
  readonly system: string;
  readonly alert: string;
  /** Which of several alerts of this name, where there are. */
  readonly about?: string;
  readonly series: Series;
  /** When it has to fire, and the other not to. */
  readonly at: string;
  /** Labels of the alert that fires, without its severity. */
  readonly labels: { readonly [label: string]: string };
  /** Its value, as its texts write it. */
  readonly value?: string;
  readonly silent: Series;
}
