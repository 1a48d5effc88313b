/**
 * Charts of the program that a platform delivers behind its components: their names, and what is in them.
 *
 * Objects of components that the program writes itself: each component's are a chart of their own, and so files that a delivery can name.
 */
import { ApiObject, Chart } from 'cdk8s';
import { PlainApiObject } from '../rendering/plain-api-object';
import { TrainingOperator, type TrainingOperatorProps } from '../training-operator';
import { kindName } from '../../manifests/argo-cd/kinds';
import type { Manifest } from '../../manifests/kubernetes';
import { hasObjects } from '../../manifests/platform/delivery';
import type { PlannedComponent, PlatformPlan } from '../../manifests/platform/plan';
import type { ProgramChart } from '../../manifests/platform/program-charts';
import { COMPONENT_NAMES } from '../../model/catalogue/catalogue';
import { ViolationCollector, type Violation } from '../../model/violations';

/** With a platform's name before it, it still is the value of a label. */
const NAME = /^[a-z]([-a-z0-9]{0,20}[a-z0-9])?$/;

/** Charts that deliveries make themselves. */
const OF_DELIVERIES = ['platform', 'applications'];

/** What is wrong with the names of charts. */
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

/** What is in a chart now. */
export function contentOf(name: string, chart: Chart): ProgramChart {
  const objects = chart.node.findAll().filter((construct): construct is ApiObject => ApiObject.isApiObject(construct));
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

/** Adds an object under a name that follows from what it is. */
export function addManifest(chart: Chart, manifest: Manifest): ApiObject {
  const { kind, metadata: { namespace, name } } = manifest;
  return new PlainApiObject(chart, [kind, namespace, name].filter((part) => part !== undefined).join('-'), manifest as ConstructorParameters<typeof ApiObject>[2]);
}

/** A chart for each component that has objects of the program. @param chartOf makes or finds the chart of a component */
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
        part.objects?.forEach((object) => addManifest(chart, object));
      }
    }
  }
}
