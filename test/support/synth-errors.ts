import type { App } from 'cdk8s';

/** What a synth of the app complains of, without the app's first line; empty where it succeeds. */
export function errorsOf(app: App): string[] {
  try {
    app.synthYaml();
  } catch (error) {
    return (error as Error).message.split('\n').slice(1).map((line) => line.trim());
  }
  return [];
}
