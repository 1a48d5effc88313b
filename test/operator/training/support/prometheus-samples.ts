/** Samples of an answer of `/metrics`. */
export class Samples {
  private readonly samples = new Map<string, number>();

  public constructor(text: string) {
    for (const line of text.split('\n').filter((candidate) => candidate !== '' && !candidate.startsWith('#'))) {
      const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      if (name === undefined) {
        throw new Error(`no sample of the Prometheus text format: ${line}`);
      }
      this.samples.set(keyOf(name, Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, text]) => [label, text]))), Number(value));
    }
  }

  /** Names of all samples. */
  public get names(): string[] {
    return [...new Set([...this.samples.keys()].map((key) => key.split('{')[0]))];
  }

  /** All samples, as `name{labels}`. */
  public get all(): string[] {
    return [...this.samples.keys()];
  }

  /** Value of the sample with exactly these labels. */
  public value(name: string, labels: { readonly [label: string]: string }): number | undefined {
    return this.samples.get(keyOf(name, labels));
  }
}

function keyOf(name: string, labels: { readonly [label: string]: string }): string {
  return `${name}{${Object.keys(labels).sort().map((label) => `${label}="${labels[label]}"`).join(',')}}`;
}
