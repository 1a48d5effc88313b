/** Where cdk8s writes charts, so that deliveries can refer to their files. */
import { Chart, Names, YamlOutputType, type App } from 'cdk8s';
import type { IConstruct } from 'constructs';
import { trimmedEnd } from '../../model/text/trim';

/** Default folder of deliveries. Not cdk8s' `dist`, which Git ignores in every project that `cdk8s init` creates. */
export const OUTPUT_FOLDER = 'manifests';

/** A chart's place in the output. */
export interface OutputPlace {
  readonly path: string;
  readonly include?: string;
}

/** Where the app's chart with this id is written. @param base folder of the output in the repository */
export function locateChart(app: App, base: string, id: string): OutputPlace {
  const name = Names.toDnsLabel(app.node.findChild(id));
  const folder = trimmedEnd(base.replace(/^\.?\/+/, ''), '/');
  return app.yamlOutputType === YamlOutputType.FOLDER_PER_CHART_FILE_PER_RESOURCE
    ? { path: [folder, name].filter((part) => part !== '').join('/') }
    : { path: folder === '' ? '.' : folder, include: `${name}${app.outputFileExtension}` };
}

/** Settings of the app with which a delivery cannot find its files. @param folders whether each chart needs a folder */
export function outputProblems(app: App, folders: boolean): string[] {
  const problems: string[] = [];
  const type = YamlOutputType[app.yamlOutputType];
  const folderPerChart = app.yamlOutputType === YamlOutputType.FOLDER_PER_CHART_FILE_PER_RESOURCE;
  if (folders && !folderPerChart) {
    problems.push(`delivery: Flux applies folders, but this app writes ${type}. Use: new App({ yamlOutputType: YamlOutputType.FOLDER_PER_CHART_FILE_PER_RESOURCE }).`);
  } else if (!folderPerChart && app.yamlOutputType !== YamlOutputType.FILE_PER_CHART) {
    problems.push(`delivery: components are separate files or folders, but this app writes ${type}. Use FILE_PER_CHART or FOLDER_PER_CHART_FILE_PER_RESOURCE.`);
  }
  const pair = dependentCharts(app);
  if (pair !== undefined) {
    problems.push(`delivery: chart '${pair[0].node.path}' depends on '${pair[1].node.path}', and then cdk8s prefixes all file names with numbers, which deliveries would not `
      + 'find. Remove the dependency: waves order the platform, and other charts can be a separate app.');
  }
  return problems;
}

/** A chart that depends on another one, if any. */
function dependentCharts(app: App): [Chart, Chart] | undefined {
  const isBelowChart = (construct: IConstruct) => construct.node.scopes.some((scope) => scope instanceof Chart);
  for (const construct of app.node.findAll().filter(isBelowChart)) {
    for (const dependency of construct.node.dependencies.filter(isBelowChart)) {
      const [from, to] = [Chart.of(construct), Chart.of(dependency)];
      if (from !== to) {
        return [from, to];
      }
    }
  }
  return undefined;
}
