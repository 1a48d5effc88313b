import { parser } from '@prometheus-io/lezer-promql';

/** What an expression asks for. */
export interface PromQuery {
  /** Names of the series. */
  readonly metrics: readonly string[];
  /** Labels in matchers and groupings. */
  readonly labels: readonly string[];
}

/**
 * Parses an expression with the grammar of Prometheus' own editor.
 * @throws Error at the first thing that is no PromQL
 */
export function parsePromQl(expression: string): PromQuery {
  const metrics = new Set<string>();
  const labels = new Set<string>();
  parser.parse(expression).iterate({
    enter: ({ type, from, to, node }) => {
      const text = expression.slice(from, to);
      if (type.isError) {
        throw new Error(`no PromQL at character ${from}, "${expression.slice(from, from + 20)}": ${expression}`);
      }
      if (type.name === 'Identifier' && node.parent?.name === 'VectorSelector') {
        metrics.add(text);
      }
      if (type.name === 'LabelName') {
        labels.add(text);
      }
    },
  });
  return { metrics: [...metrics], labels: [...labels] };
}
