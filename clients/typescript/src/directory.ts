// A store in a directory, for programs that end. It needs Node.js; everything else runs in browsers as well.
import { mkdirSync } from "node:fs";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sha256, type Entry, type Store } from "./store.js";

/** Holds responses in files that only their owner can read. A file that is damaged counts as none, and is replaced. */
export class DirectoryStore implements Store {
  constructor(readonly path: string) {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  }

  async #file(key: string): Promise<string> {
    return join(this.path, await sha256(new TextEncoder().encode(key)));
  }

  async get(key: string): Promise<Entry | undefined> {
    try {
      const content = await readFile(await this.#file(key));
      const end = content.indexOf("\n");
      const about = JSON.parse(content.subarray(0, end).toString());
      const body = new Uint8Array(content.subarray(end + 1));
      if (about.key !== key || about.sha256 !== (await sha256(body)) || typeof about.etag !== "string") return undefined;
      return { etag: about.etag, headers: about.headers ?? {}, body };
    } catch {
      return undefined;
    }
  }

  async put(key: string, entry: Entry): Promise<void> {
    const file = await this.#file(key);
    const about = { key, etag: entry.etag, headers: entry.headers, sha256: await sha256(entry.body) };
    const fresh = `${file}.${crypto.randomUUID()}`;
    try {
      await writeFile(fresh, Buffer.concat([Buffer.from(JSON.stringify(about) + "\n"), entry.body]), { mode: 0o600, flag: "wx" });
      await rename(fresh, file);
    } catch (error) {
      await rm(fresh, { force: true });
      throw error;
    }
  }
}
