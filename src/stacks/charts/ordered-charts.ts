/** Charts of a stack in the order in which they wait for each other. */
import type * as kubernetes from '@pulumi/kubernetes';
import type * as pulumi from '@pulumi/pulumi';
import { ChartDeployment, type ChartDeploymentArgs } from './chart-deployment';
import { didYouMean, type Violation } from '../../model/violations';

/** A chart, with those that have to be there before it. */
export interface StackChart extends ChartDeploymentArgs {
  /** Names of charts that are applied before; `queues` are those of the stack. @default - none */
  readonly after?: readonly string[];
}

/** Charts by their names. */
export interface StackCharts {
  readonly [name: string]: StackChart;
}

/** Applies charts, each after those that it names. @param before what all of them come after */
export function deployCharts(
  prefix: string, charts: StackCharts, provider: kubernetes.Provider, before: readonly pulumi.Resource[], opts: pulumi.ComponentResourceOptions,
): ReadonlyMap<string, ChartDeployment> {
  const made = new Map<string, ChartDeployment>();
  for (const each of inOrder(charts)) {
    const { after = [], ...chart } = charts[each];
    made.set(each, new ChartDeployment(`${prefix}-${each}`, chart, { ...opts, provider, dependsOn: [...before, ...after.map((other) => made.get(other)!)] }));
  }
  return made;
}

/** Names that charts call each other by. */
export function checkCharts(charts: StackCharts): Violation[] {
  const names = Object.keys(charts);
  const circle = circleOf(charts);
  return [
    ...Object.entries(charts).flatMap(([name, { after = [] }]) => after
      .flatMap((other, index) => unknownName(`charts.${name}.after[${index}]`, other, names, 'chart'))),
    ...(circle === undefined ? [] : [{ path: 'charts', value: circle.join(' -> '), message: 'depend on each other. Remove one of the names from after.' }]),
  ];
}

/** What is wrong with a name that nothing of the stack has. */
export function unknownName(path: string, name: string, known: readonly string[], what: string): Violation[] {
  return known.includes(name) ? [] : [{
    path, value: name, message: `is not a ${what} of this stack.${didYouMean(name, known) || (known.length > 0 ? ` There is ${known.join(', ')}.` : '')}`,
  }];
}

/** Whether a chart comes after another one, directly or not. Circles end the search. */
export function comesAfter(charts: StackCharts, name: string, other: string, seen: readonly string[] = []): boolean {
  const after = charts[name]?.after ?? [];
  return after.includes(other) || after.filter((each) => !seen.includes(each)).some((each) => comesAfter(charts, each, other, [...seen, each]));
}

/** Charts that come after themselves; undefined where there are none. */
function circleOf(charts: StackCharts): string[] | undefined {
  const follow = (name: string, way: readonly string[]): string[] | undefined => {
    if (way.includes(name)) {
      return [...way.slice(way.indexOf(name)), name];
    }
    for (const other of charts[name]?.after ?? []) {
      const circle = follow(other, [...way, name]);
      if (circle !== undefined) {
        return circle;
      }
    }
    return undefined;
  };
  return Object.keys(charts).map((name) => follow(name, [])).find((circle) => circle !== undefined);
}

/** Names of charts, each after those that it waits for. */
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
