/** Charts of a program behind the components of its platform: teams with their queues, then jobs. Deliveries take them as components. */
import { hasParts } from './delivery';
import type { PlannedComponent, PlatformPlan } from './plan';
import type { OwnedFields } from '../../model/catalogue/types';
import { KIND_CUSTOMIZATIONS, kindName } from '../argo-cd/kinds';

/** A chart, as far as its objects are there. */
export interface ProgramChart {
  readonly name: string;
  /** Namespaces that its objects name. */
  readonly namespaces: readonly string[];
  /** Kinds of its objects, as `GROUP/KIND`. */
  readonly kinds: readonly string[];
  /** Those of objects without a namespace. */
  readonly clusterKinds: readonly string[];
}

/** The plan with charts behind it, each in a wave of its own. */
export function addProgramCharts({ components }: PlatformPlan, charts: readonly ProgramChart[]): PlatformPlan {
  const first = Math.max(-1, ...components.map(({ wave }) => wave)) + 1;
  const needed = new Set(components.flatMap(({ after }) => after));
  // Whatever nothing else waits for: all other components are there before those.
  const ends = components.filter((component) => hasParts(component) && !needed.has(component.name)).map(({ name }) => name);
  return {
    components: [...components, ...charts.map(({ name, namespaces, kinds, clusterKinds }, index): PlannedComponent => ({
      name, title: `Objects of the chart '${name}'`,
      wave: first + index,
      after: index === 0 ? ends : [charts[index - 1].name],
      namespace: 'default', namespaces: ['default', ...namespaces],
      parts: [{ kind: 'program', name, objects: [] }],
      owned: ownedFieldsOf(kinds),
      clusterKinds,
    }))],
  };
}

/** Fields of jobs and queues that others write: who suspends a job is not undone by whoever delivers it. */
function ownedFieldsOf(kinds: readonly string[]): OwnedFields[] {
  return KIND_CUSTOMIZATIONS.filter((each) => kinds.includes(kindName(each))).flatMap(({ group, kind, ignoreDifferences }): OwnedFields[] => (
    ignoreDifferences === undefined ? [] : [{
      group, kind,
      ...(ignoreDifferences.jsonPointers !== undefined && { pointers: ignoreDifferences.jsonPointers }),
      ...(ignoreDifferences.jqPathExpressions !== undefined && { jqPaths: ignoreDifferences.jqPathExpressions }),
      reason: 'queues, autoscalers and people write it',
    }]));
}
