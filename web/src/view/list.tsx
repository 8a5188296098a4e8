import { Component, createRef, type ComponentChild, type JSX } from "preact";
import { Heights } from "./heights.ts";

/** The estimated height of a row that was not drawn yet, and the part drawn out of view. */
const ESTIMATE = 90;
const MARGIN = 600;
/** So near to the end, in pixels, the list stays at the end. */
const NEAR_END = 24;

interface ListProps {
  count: number;
  label: string;
  /** Holds the list while it is shown, so that others can move it. */
  handle?: { current: WindowedList | null };
  /** The kind of list for a screen reader. */
  role: "feed" | "list";
  /** Where the list begins; at its end if absent. */
  from?: "start";
  row(index: number): ComponentChild;
  /** Whether a row was drawn, so that its height is known. */
  isKnown(index: number): boolean;
  /** These rows come into view. */
  shown?(first: number, end: number): void;
  /** Whether the list is at its end. */
  atEnd?(is: boolean): void;
}

interface ListState {
  first: number;
  end: number;
  /** Changes when a height changed, so that the list is drawn again. */
  measured: number;
}

/**
 * A list that draws only the rows near the view. What the person reads keeps its place when rows
 * above change their height; at the end the list follows new rows.
 */
export class WindowedList extends Component<ListProps, ListState> {
  override state: ListState = { first: 0, end: 0, measured: 0 };
  private readonly scroller = createRef<HTMLDivElement>();
  private readonly rows = createRef<HTMLDivElement>();
  private readonly heights = new Heights(ESTIMATE);
  private readonly sizes = new ResizeObserver(() => this.measure());
  private follows = this.props.from !== "start";
  /** The row at the top of the view, and how much of it is above the view. */
  private anchor = { row: 0, above: 0 };
  /** The position that was set last: its event is no movement of the person. */
  private own = -1;

  override componentDidMount(): void {
    if (this.props.handle) this.props.handle.current = this;
    for (const { current } of [this.scroller, this.rows]) {
      if (current) this.sizes.observe(current);
    }
    this.update();
  }

  override componentDidUpdate(): void {
    this.measure();
  }

  override componentWillUnmount(): void {
    if (this.props.handle) this.props.handle.current = null;
    this.sizes.disconnect();
  }

  /** Shows the end and stays there. */
  toEnd(): void {
    this.follows = true;
    this.props.atEnd?.(true);
    this.update();
  }

  /** Shows a row at the top of the view. */
  toRow(index: number): void {
    this.follows = false;
    this.props.atEnd?.(false);
    this.anchor = { row: index, above: 16 };
    this.update();
  }

  override componentWillReceiveProps(next: ListProps): void {
    this.heights.resize(next.count);
  }

  override render({ label, role }: ListProps, { first, end }: ListState): JSX.Element {
    this.heights.resize(this.props.count);
    const last = Math.min(end, this.props.count);
    const above = this.heights.before(Math.min(first, last));
    const below = this.heights.total - this.heights.before(last);
    const drawn: JSX.Element[] = [];
    for (let index = Math.min(first, last); index < last; index++) {
      drawn.push(
        <div key={index} data-row={index} role={role === "list" ? "listitem" : "presentation"}>
          {this.props.row(index)}
        </div>,
      );
    }
    return (
      <div
        class="scroller"
        ref={this.scroller}
        onScroll={this.scrolled}
        onKeyDown={this.keyed}
        tabIndex={0}
        role="group"
        aria-label={label}
      >
        <div style={{ height: `${above}px` }} />
        <div ref={this.rows} class="rows" role={drawn.length > 0 ? role : "presentation"}>
          {drawn}
        </div>
        <div style={{ height: `${below}px` }} />
      </div>
    );
  }

  /** Measures what is drawn. Keeps the place if heights differ. */
  private measure(): void {
    const drawn = this.rows.current?.children ?? [];
    let changed = 0;
    for (const element of drawn as Iterable<HTMLElement>) {
      const index = Number(element.dataset.row);
      if (this.props.isKnown(index)) {
        changed += Math.abs(this.heights.set(index, element.getBoundingClientRect().height));
      }
    }
    this.update(changed > 0.5);
  }

  /** The browser would scroll slowly, and stop when heights change on the way. */
  private readonly keyed = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget) return;
    if (event.key === "End") this.toEnd();
    else if (event.key === "Home") this.toRow(0);
    else return;
    event.preventDefault();
  };

  private readonly scrolled = (): void => {
    const view = this.scroller.current;
    if (!view || Math.abs(view.scrollTop - this.own) < 1) return;
    this.own = -1;
    const atEnd = view.scrollHeight - view.scrollTop - view.clientHeight < NEAR_END;
    if (atEnd !== this.follows) {
      this.follows = atEnd;
      this.props.atEnd?.(atEnd);
    }
    const row = this.heights.at(view.scrollTop);
    this.anchor = { row, above: this.heights.before(row) - view.scrollTop };
    this.update();
  };

  /** Chooses the rows to draw, and moves the view to its anchor or to the end. */
  private update(isResized = false): void {
    const view = this.scroller.current;
    if (!view) return;
    const height = view.clientHeight;
    const end = Math.max(0, this.heights.total - height);
    const top = this.follows
      ? end
      : Math.min(end, Math.max(0, this.heights.before(this.anchor.row) - this.anchor.above));
    const first = this.heights.at(top - MARGIN);
    const last = Math.min(this.props.count, this.heights.at(top + height + MARGIN) + 1);
    const moves = first !== this.state.first || last !== this.state.end;
    const measured = this.state.measured + (isResized ? 1 : 0);
    if (moves || isResized) this.setState({ first, end: last, measured }, () => this.place());
    else this.place();
    this.props.shown?.(first, last);
  }

  private place(): void {
    const view = this.scroller.current;
    if (!view) return;
    const wanted = this.follows
      ? view.scrollHeight
      : this.heights.before(this.anchor.row) - this.anchor.above;
    const now = view.scrollTop;
    if (Math.abs(now - wanted) < 1) return;
    view.scrollTop = wanted;
    this.own = view.scrollTop;
  }
}
