// Twelve months as bars, and as the table that says the same.

import { computed, h, signal } from "view";
import type { Child } from "view";
import { top } from "../../../../parts/curve";
import { addMonths, monthName, shortMonth } from "../../../../words/dates";
import { decimal, euros, percent } from "../../../../words/money";

export interface MonthFigures { month: string; count: number; ca: number; margin: number }

const title = "Chiffre d’affaires et marge par mois";
const wide = matchMedia("(min-width: 40rem)");
const isWide = signal(wide.matches);
wide.addEventListener("change", () => isWide.set(wide.matches));

export interface YearProps { month: string; months: number; figures: () => readonly MonthFigures[] }

export function Year({ month, months, figures }: YearProps): Child {
  const all = computed(() => Array.from({ length: months }, (_, index): MonthFigures => {
    const one = addMonths(month, index + 1 - months);
    return figures().find((found) => found.month === one) ?? { month: one, count: 0, ca: 0, margin: 0 };
  }));
  return (
    <figure class="card year" aria-label={title}>
      <figcaption class="year-head">
        <h2>{title}</h2>
        <span class="legend" aria-hidden="true">
          <span class="legend-one ca">Chiffre d’affaires</span>
          <span class="legend-one margin">Marge</span>
        </span>
      </figcaption>
      <div class="year-body">
        {() => (all().every(({ ca, margin }) => ca === 0 && margin === 0)
          ? <p class="empty quiet-text">Aucun chiffre d’affaires ces douze mois.</p>
          : <Bars all={all()} month={month} />)}
        <div class="numbers-place">
          <table class="numbers" aria-label={title}>
            <thead>
              <tr><th scope="col">Mois</th><th scope="col">Chiffre d’affaires</th><th scope="col">Marge</th><th scope="col" class="wide-column">Taux</th></tr>
            </thead>
            <tbody>
              {() => all().map((one) => (
                <tr class={one.month === month ? "chosen" : null}>
                  <th scope="row"><a href={`/tableau-de-bord?mois=${one.month}`}>{monthName(one.month)}</a></th>
                  <td>{euros(one.ca)}</td>
                  <td>{euros(one.margin)}</td>
                  <td class="wide-column">{one.ca > 0 ? percent((one.margin / one.ca) * 100) : "–"}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </div>
    </figure>
  );
}

const foot = 26;
const side = 58;

/** The table says all that the bars say. A margin may be a loss, which stands below the line. */
function Bars({ all, month }: { all: readonly MonthFigures[]; month: string }): Child {
  const [width, height] = isWide() ? [560, 380] : [340, 220];
  const highest = top(Math.max(1, ...all.map(({ ca, margin }) => Math.max(ca, margin))));
  const lowest = Math.min(0, ...all.map(({ margin }) => margin));
  const depth = lowest < 0 ? top(-lowest) : 0;
  const y = (value: number): number => 8 + ((height - foot - 8) * (highest - value)) / (highest + depth);
  const step = (width - side) / all.length;
  const bar = Math.min(14, (step - 6) / 2);
  const rect = (kind: string, x: number, value: number): Child => (
    <rect class={`bar ${kind}`} x={x.toFixed(1)} y={Math.min(y(value), y(0)).toFixed(1)} width={bar.toFixed(1)}
      height={Math.max(Math.abs(y(value) - y(0)), value === 0 ? 0 : 1).toFixed(1)} rx="2" />
  );
  const marks = [highest, highest / 2, 0, ...(depth > 0 ? [-depth] : [])];
  return (
    <svg class="bars" viewBox={`0 0 ${width} ${height}`} aria-hidden="true" focusable="false">
      {marks.map((mark) => (
        <g>
          <line class={mark === 0 ? "bars-zero" : "bars-line"} x1={side} x2={width} y1={y(mark)} y2={y(mark)} />
          <text class="bars-label end" x={side - 8} y={y(mark) + 4}>{amountLabel(mark)}</text>
        </g>
      ))}
      {all.map((one, index) => {
        const middle = side + step * (index + 0.5);
        return (
          <g>
            {rect("ca", middle - bar - 1, one.ca)}
            {rect("margin", middle + 1, one.margin)}
            <text class={`bars-label${one.month === month ? " chosen" : ""}`} x={middle} y={height - 8}>
              {isWide() ? shortMonth(one.month) : shortMonth(one.month).slice(0, 1).toUpperCase()}
            </text>
          </g>
        );
      })}
    </svg>
  );
}

/** "25 k€" */
function amountLabel(value: number): string {
  if (Math.abs(value) < 1_000) return decimal(value, 0);
  return `${decimal(value / 1_000, value % 1_000 === 0 ? 0 : 1)}\u00a0k€`;
}
