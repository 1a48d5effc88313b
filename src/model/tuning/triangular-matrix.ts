/**
 * Symmetric and lower triangular matrices, packed row by row: entry (row, column) is at row * (row + 1) / 2 + column. One array without holes, and
 * loops that run along it, are what makes a model of a hundred trials cheap.
 */

// Looked up once: see gaussian-process.ts.
const { max, sqrt } = Math;

/** Room for the lower triangle of a matrix with so many rows, all 0. */
export function triangle(rows: number): Float64Array {
  return new Float64Array(rows * (rows + 1) / 2);
}

/** Replaces a symmetric matrix by the lower triangle whose product with its transpose it is (Cholesky). */
export function factorise(matrix: Float64Array, rows: number): void {
  for (let row = 0, start = 0; row < rows; start += ++row) {
    for (let column = 0, other = 0; column <= row; other += ++column) {
      let sum = matrix[start + column];
      for (let index = 0; index < column; index++) {
        sum -= matrix[start + index] * matrix[other + index];
      }
      // Rounding can make a matrix of points that almost coincide indefinite.
      matrix[start + column] = column === row ? sqrt(max(sum, 1e-10)) : sum / matrix[other + column];
    }
  }
}

/** What the triangle has to be multiplied by to give the values. */
export function solveLower(factor: Float64Array, values: ArrayLike<number>): Float64Array {
  const solution = new Float64Array(values.length);
  for (let row = 0, at = 0; row < values.length; row++) {
    let sum = values[row];
    for (let column = 0; column < row; column++) {
      sum -= factor[at++] * solution[column];
    }
    solution[row] = sum / factor[at++];
  }
  return solution;
}

/** The same for the transpose of the triangle. */
export function solveUpper(factor: Float64Array, values: ArrayLike<number>): Float64Array {
  const solution = Float64Array.from(values);
  for (let row = values.length - 1, start = factor.length - values.length; row >= 0; start -= row--) {
    const value = solution[row] / factor[start + row];
    solution[row] = value;
    for (let column = 0; column < row; column++) {
      solution[column] -= factor[start + column] * value;
    }
  }
  return solution;
}

/** Sum of the squares. */
export function squares(values: Float64Array): number {
  let sum = 0;
  for (let index = 0; index < values.length; index++) {
    sum += values[index] * values[index];
  }
  return sum;
}
