// What stands in the place of an answer that is not there.

import { h } from "view";
import type { Child } from "view";
import { sync } from "../store";
import type { Live } from "../store";
import { Failure, Outlines } from "./list";

/** While an answer is not known: outlines, then why it did not come. */
export function Unknown({ live, count = 4 }: { live: Pick<Live<unknown>, "failure" | "refresh">; count?: number }): Child {
  return () => {
    const failure = live.failure();
    return failure === null ? <Outlines count={count} /> : <Failure text={failure.message} retry={() => void live.refresh()} />;
  };
}

/** Why nothing is known of what was asked, if that is so. `beside`: another part of the page says that there is no network. */
export function FailureOf({ of, beside }: { of: Live<unknown>; beside?: boolean }): Child {
  return () => {
    const failure = of.value() === undefined ? of.failure() : null;
    return failure === null || (beside && !sync.isOnline()) ? null : <Failure text={failure.message} retry={() => void of.refresh()} />;
  };
}
