/**
 * Charts of the program that a platform delivers after its components, and charts with components' objects that the program writes itself. Each
 * component has its own chart, so that a delivery can refer to its file.
 */
import { ApiObject, Chart } from 'cdk8s';
import { addNamed, apiObjectsIn } from '../rendering/objects';
import { TrainingOperator, type TrainingOperatorProps } from '../training-operator';
import { kindName } from '../../manifests/argo-cd/kinds';
import { hasObjects } from '../../manifests/platform/delivery';
import type { PlannedComponent, PlatformPlan } from '../../manifests/platform/plan';
import type { ProgramChart } from '../../manifests/platform/program-charts';
import { COMPONENT_NAMES } from '../../model/catalogue/catalogue';
import { ViolationCollector, type Violation } from '../../model/violations';

/** Short enough for a label value with the platform's name as prefix. */
const NAME = /^[a-z]([-a-z0-9]{0,20}[a-z0-9])?$/;

/** Charts that deliveries create. */
const OF_DELIVERIES = ['platform', 'applications'];

/** Violations of the names of charts. */
export function checkCharts(charts: readonly string[]): Violation[] {
  const violations = new ViolationCollector();
  charts.forEach((name, index) => {
    const path = `charts[${index}]`;
    if (!NAME.test(name)) {
      violations.add(path, name, 'must be at most 22 lower-case letters, digits and dashes, beginning with a letter: the platform name is its prefix.');
    } else if (COMPONENT_NAMES.includes(name) || OF_DELIVERIES.includes(name)) {
      violations.add(path, name, 'is the name of a chart that the platform creates itself. Choose another one.');
    } else if (charts.indexOf(name) < index) {
      violations.add(path, name, 'is listed twice. Remove one.');
    }
  });
  return violations.violations;
}

/** The current content of a chart. */
export function contentOf(name: string, chart: Chart): ProgramChart {
  const objects = apiObjectsIn(chart);
  return {
    name,
    namespaces: [...new Set(objects.flatMap(({ metadata: { namespace } }) => namespace ?? []))],
    kinds: kindsOf(objects),
    clusterKinds: kindsOf(objects.filter(({ metadata: { namespace } }) => namespace === undefined)),
  };
}

function kindsOf(objects: readonly ApiObject[]): string[] {
  return [...new Set(objects.map(({ apiGroup, kind }) => kindName({ group: apiGroup === 'core' ? '' : apiGroup, kind })))];
}

/** Adds the objects of components that the program writes. @param chartOf returns the chart of a component */
export function addProgramObjects(
  plan: PlatformPlan, chartOf: (component: PlannedComponent) => Chart, operator: TrainingOperatorProps | undefined,
): void {
  for (const component of plan.components.filter(hasObjects)) {
    const chart = chartOf(component);
    for (const part of component.parts) {
      if (part.kind === 'program' && part.objects === undefined) {
        // The only component that is a construct.
        new TrainingOperator(chart, 'Operator', operator);
      } else if (part.kind === 'program') {
        part.objects?.forEach((object) => addNamed(chart, object));
      }
    }
  }
}
