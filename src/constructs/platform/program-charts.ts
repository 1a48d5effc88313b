/** Charts of the program that a platform delivers behind its components: their names, and what is in them. */
import { ApiObject, type Chart } from 'cdk8s';
import { kindName } from '../../manifests/argo-cd/kinds';
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
      violations.add(path, name, 'is there twice.');
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
