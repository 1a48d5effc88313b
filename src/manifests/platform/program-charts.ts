/** Charts of a program after the components of its platform: teams with their queues, then jobs. Deliveries treat them as components. */
import { hasParts } from './delivery';
import type { PlannedComponent, PlatformPlan } from './plan';
import type { OwnedFields } from '../../model/catalogue/types';
import { KIND_CUSTOMIZATIONS, kindName } from '../argo-cd/kinds';

/** A chart of the program. */
export interface ProgramChart {
  readonly name: string;
  /** Namespaces of its objects. */
  readonly namespaces: readonly string[];
  /** Kinds of its objects, as `GROUP/KIND`. */
  readonly kinds: readonly string[];
  /** Kinds of its cluster-scoped objects. */
  readonly clusterKinds: readonly string[];
}

/** The plan with charts after its components, each in its own wave. */
export function addProgramCharts({ components }: PlatformPlan, charts: readonly ProgramChart[]): PlatformPlan {
  const first = Math.max(-1, ...components.map(({ wave }) => wave)) + 1;
  const needed = new Set(components.flatMap(({ after }) => after));
  // Components for which no other waits. All others come before these.
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

/** Fields of jobs and queues that others set, so that a delivery does not revert a suspension. */
function ownedFieldsOf(kinds: readonly string[]): OwnedFields[] {
  return KIND_CUSTOMIZATIONS.filter((each) => kinds.includes(kindName(each))).flatMap(({ group, kind, ignoreDifferences }): OwnedFields[] => (
    ignoreDifferences === undefined ? [] : [{
      group, kind,
      ...(ignoreDifferences.jsonPointers !== undefined && { pointers: ignoreDifferences.jsonPointers }),
      ...(ignoreDifferences.jqPathExpressions !== undefined && { jqPaths: ignoreDifferences.jqPathExpressions }),
      reason: 'queues, autoscalers and people write it',
    }]));
}
