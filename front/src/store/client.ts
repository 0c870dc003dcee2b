import { Client } from "learntrack";
import { send } from "./network";

/** The service, with the sign-in of this browser. */
export const client = new Client({ url: "", fetch: send });

/** For signing in and out alone: the token that it is given is kept by `account`, for all tabs. */
export const door = new Client({ url: "", fetch: send });
