/**
 * Alerts and recorded series, as data. Each alert asks for somebody to do something, and says what: what only informs is on a dashboard.
 * @see https://prometheus.io/docs/prometheus/latest/configuration/alerting_rules/
 */

/** Whether somebody has to get up for it. */
export type Severity = 'critical' | 'warning';

/** An alert. */
export interface Alert {
  /** Name. Two alerts of one name are about the same and have other `labels`. */
  readonly alert: string;
  readonly severity: Severity;
  /** Labels beyond the severity, which tell alerts of one name apart. @default none */
  readonly labels?: { readonly [label: string]: string };
  /** How long the expression has to hold, such as `15m`. @default at once */
  readonly for?: string;
  readonly expr: string;
  /** One line, which may name labels of the expression. */
  readonly summary: string;
  /** What it means and what to do. */
  readonly description: string;
}

/** A series that is computed and kept. */
export interface Recording {
  readonly record: string;
  readonly expr: string;
}

/** Rules that are evaluated in order. */
export interface RuleGroup {
  readonly name: string;
  readonly rules: readonly (Alert | Recording)[];
}

/** Whether a rule is an alert. */
export function isAlert(rule: Alert | Recording): rule is Alert {
  return 'alert' in rule;
}

/** Alerts of groups. */
export function alertsOf(groups: readonly RuleGroup[]): Alert[] {
  return groups.flatMap(({ rules }) => rules.filter(isAlert));
}
