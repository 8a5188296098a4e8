/** The heights of the rows of a list, with their sums. All operations take logarithmic time. */
export class Heights {
  private heights: Float64Array<ArrayBuffer>;
  /** A Fenwick tree: `tree[i]` is the sum of a range that ends at `i`. */
  private tree: Float64Array<ArrayBuffer>;
  private size = 0;

  constructor(private readonly estimate: number) {
    this.heights = new Float64Array(0);
    this.tree = new Float64Array(1);
  }

  get count(): number {
    return this.size;
  }

  /** Sets the number of rows. New rows have the estimated height. */
  resize(count: number): void {
    if (count === this.size) return;
    if (count > this.heights.length || count < this.size) this.rebuild(count);
    for (let index = this.size; index < count; index++) this.add(index, this.estimate);
    this.size = count;
  }

  get(index: number): number {
    return index < this.size ? (this.heights[index] ?? 0) : 0;
  }

  /** Sets a height. Returns the difference from the height before. */
  set(index: number, height: number): number {
    const difference = height - this.get(index);
    if (index >= this.size || difference === 0) return 0;
    this.add(index, difference);
    return difference;
  }

  /** The sum of the heights before `index`. */
  before(index: number): number {
    let sum = 0;
    for (let at = Math.min(index, this.size); at > 0; at -= at & -at) sum += this.tree[at] ?? 0;
    return sum;
  }

  get total(): number {
    return this.before(this.size);
  }

  /** The row at this distance from the top; the last one if there are fewer. */
  at(distance: number): number {
    let index = 0;
    let rest = distance;
    const capacity = this.tree.length - 1;
    for (let step = 2 ** Math.floor(Math.log2(Math.max(1, capacity))); step >= 1; step /= 2) {
      const next = index + step;
      const sum = this.tree[next];
      if (next <= this.size && sum !== undefined && sum <= rest) {
        index = next;
        rest -= sum;
      }
    }
    return Math.min(index, Math.max(0, this.size - 1));
  }

  private add(index: number, difference: number): void {
    this.heights[index] = (this.heights[index] ?? 0) + difference;
    for (let at = index + 1; at < this.tree.length; at += at & -at) {
      this.tree[at] = (this.tree[at] ?? 0) + difference;
    }
  }

  /** Makes room for `count` rows and more, and keeps the heights that are known. */
  private rebuild(count: number): void {
    const known = this.heights.slice(0, Math.min(count, this.size));
    const capacity = Math.max(64, 2 ** Math.ceil(Math.log2(count + 1)));
    this.heights = new Float64Array(capacity);
    this.tree = new Float64Array(capacity + 1);
    this.size = known.length;
    known.forEach((height, index) => this.add(index, height));
  }
}
