/** Deploys the charts of a stack in the order of their dependencies. */
import type * as kubernetes from '@pulumi/kubernetes';
import type * as pulumi from '@pulumi/pulumi';
import { ChartDeployment, type ChartDeploymentArgs } from './chart-deployment';
import { didYouMean, type Violation } from '../../model/violations';

/** A chart and the charts that are applied before it. */
export interface StackChart extends ChartDeploymentArgs {
  /** Names of the charts that are applied before this one; `queues` are the queues of the stack. @default - none */
  readonly after?: readonly string[];
}

/** Charts by their names. */
export interface StackCharts {
  readonly [name: string]: StackChart;
}

/** Applies each chart after its dependencies. @param before resources that all charts are applied after */
export function deployCharts(
  prefix: string, charts: StackCharts, provider: kubernetes.Provider, before: readonly pulumi.Resource[], opts: pulumi.ComponentResourceOptions,
): ReadonlyMap<string, ChartDeployment> {
  const deployments = new Map<string, ChartDeployment>();
  for (const each of inOrder(charts)) {
    const { after = [], ...chart } = charts[each];
    deployments.set(each, new ChartDeployment(`${prefix}-${each}`, chart, { ...opts, provider, dependsOn: [...before, ...after.map((other) => deployments.get(other)!)] }));
  }
  return deployments;
}

/** Checks the names of the dependencies, and that there are no cycles. */
export function checkCharts(charts: StackCharts): Violation[] {
  const names = Object.keys(charts);
  const cycle = findCycle(charts);
  return [
    ...Object.entries(charts).flatMap(([name, { after = [] }]) => after
      .flatMap((other, index) => unknownName(`charts.${name}.after[${index}]`, other, names, 'chart'))),
    ...(cycle === undefined ? [] : [{ path: 'charts', value: cycle.join(' -> '), message: 'depend on each other. Remove one of the names from after.' }]),
  ];
}

/** The error for a name that is not in the stack. */
export function unknownName(path: string, name: string, known: readonly string[], what: string): Violation[] {
  return known.includes(name) ? [] : [{
    path, value: name, message: `is not a ${what} of this stack.${didYouMean(name, known) || (known.length > 0 ? ` Use one of: ${known.join(', ')}.` : '')}`,
  }];
}

/** Whether a chart is applied after another one, directly or indirectly. Cycles end the search. */
export function comesAfter(charts: StackCharts, name: string, other: string, seen: readonly string[] = []): boolean {
  const after = charts[name]?.after ?? [];
  return after.includes(other) || after.filter((each) => !seen.includes(each)).some((each) => comesAfter(charts, each, other, [...seen, each]));
}

/** A cycle of charts that depend on each other, or undefined. */
function findCycle(charts: StackCharts): string[] | undefined {
  const follow = (name: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(name)) {
      return [...path.slice(path.indexOf(name)), name];
    }
    for (const other of charts[name]?.after ?? []) {
      const cycle = follow(other, [...path, name]);
      if (cycle !== undefined) {
        return cycle;
      }
    }
    return undefined;
  };
  return Object.keys(charts).map((name) => follow(name, [])).find((cycle) => cycle !== undefined);
}

/** The names of the charts, each after its dependencies. */
function inOrder(charts: StackCharts): string[] {
  const order: string[] = [];
  const visit = (name: string): void => {
    if (!order.includes(name)) {
      (charts[name].after ?? []).forEach(visit);
      order.push(name);
    }
  };
  Object.keys(charts).forEach(visit);
  return order;
}
