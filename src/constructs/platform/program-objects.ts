/** Objects of components that the program writes itself: each component's are a chart of their own, and so files that a delivery can name. */
import { ApiObject, Chart } from 'cdk8s';
import { PlainApiObject } from '../rendering/plain-api-object';
import { hasObjects } from '../../manifests/platform/delivery';
import type { PlannedComponent, PlatformPlan } from '../../manifests/platform/plan';
import type { Manifest } from '../../manifests/kubernetes';
import { TrainingOperator, type TrainingOperatorProps } from '../training-operator';

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
