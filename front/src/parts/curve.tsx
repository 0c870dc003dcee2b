// A curve over evenly spaced points, with their average below it and a limit above. A table beside it says the same.

import { h, onCleanup, signal } from "view";
import type { Child } from "view";

export interface CurveProps {
  points: readonly { label: string; value: number; average: number }[];
  limit?: number;
  /** Without an average: one line, and no legend. */
  plain?: boolean;
}

const [height, foot] = [220, 24];

/** A round number at or above, whose half is whole: the top of the scale. */
export function top(value: number): number {
  if (value <= 4) return 4;
  const unit = 10 ** Math.floor(Math.log10(value));
  return [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].map((part) => part * unit).find((one) => one >= value && one % 2 === 0)!;
}

export function Curve({ points, limit, plain }: CurveProps): Child {
  if (points.length === 0) return null;
  // The drawing is as wide as its place, so that its words keep their size.
  const room = signal(0);
  const frame = (
    <div class="curve-frame" ref={(element) => {
      const watcher = new ResizeObserver(([entry]) => room.set(Math.round(entry!.contentRect.width)));
      watcher.observe(element);
      onCleanup(() => watcher.disconnect());
    }}>
      {() => (room() === 0 ? null : drawing(points, limit, room(), plain))}
    </div>
  );
  return frame;
}

function drawing(points: CurveProps["points"], limit: number | undefined, width: number, plain?: boolean): Child {
  const highest = Math.max(1, ...points.map((one) => one.value));
  // A limit far above what is counted would flatten the curve.
  const shown = limit !== undefined && limit <= highest * 2.5 ? limit : undefined;
  const scale = top(Math.max(highest, shown ?? 0));
  const x = (at: number): number => (points.length === 1 ? width / 2 : 36 + (at * (width - 52)) / (points.length - 1));
  const y = (value: number): number => 8 + (height - foot - 8) * (1 - value / scale);
  const line = (read: (point: CurveProps["points"][number]) => number): string => (
    points.map((point, at) => `${at === 0 ? "M" : "L"}${x(at).toFixed(1)} ${y(read(point)).toFixed(1)}`).join("")
  );
  const base = y(0).toFixed(1);
  const area = `${line((one) => one.value)}L${x(points.length - 1).toFixed(1)} ${base}L${x(0).toFixed(1)} ${base}Z`;
  const every = Math.ceil(points.length / Math.max(2, Math.floor(width / 84)));
  return [
    plain ? null : <p class="legend" aria-hidden="true">
      <span class="legend-one">Maximum</span>
      <span class="legend-one low">Moyenne</span>
      {shown === undefined ? null : <span class="legend-one limit">Capacité</span>}
    </p>,
    <svg class="curve" viewBox={`0 0 ${width} ${height}`} width={width} height={height} aria-hidden="true" focusable="false">
      {[0, 0.5, 1].map((part) => (
        <g>
          <line class="curve-grid" x1="36" x2={width - 16} y1={y(scale * part)} y2={y(scale * part)} />
          <text class="curve-label end" x="30" y={y(scale * part) + 4}>{String(Math.round(scale * part))}</text>
        </g>
      ))}
      <path class="curve-area" d={area} />
      {plain ? null : <path class="curve-low" d={line((one) => one.average)} />}
      <path class="curve-line" d={line((one) => one.value)} />
      {points.length <= 12 ? points.map((one, at) => <circle class="curve-point" cx={x(at)} cy={y(one.value)} r="3.5" />) : null}
      {shown === undefined ? null : <line class="curve-limit" x1="36" x2={width - 16} y1={y(shown)} y2={y(shown)} />}
      {points.map((one, at) => (at % every === 0 ? <text class="curve-label" x={x(at)} y={height - 6}>{one.label}</text> : null))}
    </svg>,
  ];
}
