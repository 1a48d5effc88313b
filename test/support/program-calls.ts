/** What a TypeScript program would do: for tests of programs that hold texts of somebody else. */
import ts from 'typescript';

/** Names of the functions that a program calls by themselves, and what of it is no TypeScript. */
export function callsOf(program: string): string[] {
  const file = ts.createSourceFile('program.ts', program, ts.ScriptTarget.ES2022, true);
  const calls: string[] = ((file as unknown as { readonly parseDiagnostics: readonly ts.Diagnostic[] }).parseDiagnostics)
    .map(({ messageText }) => `syntax: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);
  const visit = (node: ts.Node) => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
      calls.push(node.expression.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return calls;
}
