/** Alerts and recorded series as an object of the Prometheus Operator. */
import { monitoringObject, type MonitoringObject } from './monitors';
import { isAlert, type RuleGroup } from '../../model/monitoring/rules';
import type { Manifest } from '../kubernetes';

/** A rule as Prometheus reads it. */
export interface PrometheusRuleEntry {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels?: { readonly [label: string]: string };
  readonly annotations?: { readonly [name: string]: string };
}

/** A group of rules as Prometheus reads it, in a file of rules too. */
export interface PrometheusRuleGroup {
  readonly name: string;
  readonly rules: readonly PrometheusRuleEntry[];
}

/** Rules in Prometheus' form. */
export function constructRuleGroups(groups: readonly RuleGroup[]): PrometheusRuleGroup[] {
  return groups.map(({ name, rules }) => ({
    name,
    rules: rules.map((rule): PrometheusRuleEntry => {
      if (!isAlert(rule)) {
        return { record: rule.record, expr: rule.expr };
      }
      const { alert, severity, labels, for: duration, expr, summary, description } = rule;
      const annotations = { summary, description };
      return { alert, expr, ...(duration !== undefined && { for: duration }), labels: { severity, ...labels }, annotations };
    }),
  }));
}

/** A PrometheusRule. */
export function constructPrometheusRule(object: MonitoringObject, groups: readonly RuleGroup[]): Manifest & { readonly spec: object } {
  return { ...monitoringObject('PrometheusRule', object), spec: { groups: constructRuleGroups(groups) } };
}
