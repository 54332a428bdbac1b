import { randomBytes } from "node:crypto";

const maxSessions = 1_000;
const maxAgeMs = 8 * 60 * 60 * 1_000;
const sessionCookie = "binnacle-session";

interface Session {
  readonly token: string;
  readonly expiresAt: number;
}

/**
 * Tokens that users entered, in memory. The token is checked again at every request, so a session ends with its token. The
 * oldest session gives way to a new one.
 */
export class Sessions {
  readonly #now: () => number;
  /** By id, oldest first. */
  readonly #sessions = new Map<string, Session>();

  constructor(now: () => number) {
    this.#now = now;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Returns the `set-cookie` header of the new session. */
  open(token: string): string {
    const id = randomBytes(32).toString("base64url");
    this.#sessions.set(id, { token, expiresAt: this.#now() + maxAgeMs });
    for (const [oldest, { expiresAt }] of this.#sessions) {
      if (this.#sessions.size <= maxSessions && expiresAt > this.#now()) break;
      this.#sessions.delete(oldest);
    }
    return cookie(id, maxAgeMs / 1_000);
  }

  find(cookies: string | undefined): Session | undefined {
    const session = this.#sessions.get(idIn(cookies));
    return session !== undefined && session.expiresAt > this.#now() ? session : undefined;
  }

  /** Returns the `set-cookie` header that makes the browser forget the session. */
  close(cookies: string | undefined): string {
    this.#sessions.delete(idIn(cookies));
    return cookie("", 0);
  }
}

function cookie(value: string, maxAge: number): string {
  return `${sessionCookie}=${value}; HttpOnly; SameSite=Strict; Path=/api/v1; Max-Age=${maxAge}`;
}

function idIn(cookies = ""): string {
  const own = cookies.split(";").find((each) => each.trim().startsWith(`${sessionCookie}=`));
  return own?.trim().slice(sessionCookie.length + 1) ?? "";
}
