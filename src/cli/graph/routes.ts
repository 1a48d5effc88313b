/**
 * Lines of a layered layout. dagre returns for each line the middles of the columns that it passes. Straight lines between these would cross wide
 * resources of the same column, so a line crosses each column horizontally and bends only between columns.
 */

/** A rectangle by its upper left corner; pixels. */
export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A point; pixels. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A line to route. */
export interface Connection {
  readonly from: Rectangle;
  readonly to: Rectangle;
  /** From dagre, with both ends. */
  readonly points: readonly Point[];
}

/** A column: its middle and half its width. */
interface Column {
  readonly middle: number;
  readonly half: number;
}

/** Fraction of a resource's side at which lines end. */
const USED_SIDE = 0.7;

/**
 * Routes lines.
 * @param occupied everything in columns: resources and labels
 * @returns for each line its horizontal pieces as pairs of points; the line bends between them
 */
export function routesOf(connections: readonly Connection[], occupied: readonly Rectangle[]): readonly (readonly Point[])[] {
  const columns = columnsOf(occupied);
  const ports = new Ports();
  connections.forEach(({ from, to, points }) => {
    if (from !== to) {
      ports.add(from, isRightwards(points), points[1].y);
      ports.add(to, !isRightwards(points), points[points.length - 2].y);
    }
  });
  return connections.map(({ from, to, points }) => {
    if (from === to) {
      return points;
    }
    const inner = points.slice(1, -1);
    const start = ports.take(from, isRightwards(points), points[1].y);
    const end = ports.take(to, !isRightwards(points), points[points.length - 2].y);
    const direction = isRightwards(points) ? 1 : -1;
    const edgeOf = (rectangle: Rectangle, side: number): number => {
      const { middle, half } = columnAt(columns, rectangle.x + rectangle.width / 2);
      return middle + side * half;
    };
    return [
      start, { x: edgeOf(from, direction), y: start.y },
      ...inner.flatMap(({ x, y }) => {
        const { middle, half } = columnAt(columns, x);
        return [{ x: middle - direction * half, y }, { x: middle + direction * half, y }];
      }),
      { x: edgeOf(to, -direction), y: end.y }, end,
    ];
  });
}

function isRightwards(points: readonly Point[]): boolean {
  return points[points.length - 1].x >= points[0].x;
}

/** The ends of lines at the sides of resources, in the order of the lines' origins, so that they do not cross there. */
class Ports {
  private readonly sides = new Map<Rectangle, { readonly left: number[]; readonly right: number[] }>();

  public add(rectangle: Rectangle, isRight: boolean, towards: number): void {
    const known = this.sides.get(rectangle) ?? { left: [], right: [] };
    known[isRight ? 'right' : 'left'].push(towards);
    this.sides.set(rectangle, known);
  }

  public take(rectangle: Rectangle, isRight: boolean, towards: number): Point {
    const all = [...this.sides.get(rectangle)![isRight ? 'right' : 'left']].sort((a, b) => a - b);
    const { x, y, width, height } = rectangle;
    const room = height * USED_SIDE;
    return { x: isRight ? x + width : x, y: y + (height - room) / 2 + room * (all.indexOf(towards) + 0.5) / all.length };
  }
}

/** Columns by their middles, which everything in a column shares. */
function columnsOf(occupied: readonly Rectangle[]): ReadonlyMap<number, Column> {
  const columns = new Map<number, Column>();
  for (const { x, width } of occupied) {
    const middle = x + width / 2;
    const key = Math.round(middle);
    columns.set(key, { middle, half: Math.max(columns.get(key)?.half ?? 0, width / 2) });
  }
  return columns;
}

function columnAt(columns: ReadonlyMap<number, Column>, middle: number): Column {
  return columns.get(Math.round(middle)) ?? { middle, half: 0 };
}
