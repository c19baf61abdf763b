import { doorTests } from "../doors.ts";
import { skip, testServer } from "./server.ts";

doorTests({
  name: "PostgreSQL",
  skip,
  server: testServer,
  facts: { server: "PostgreSQL", synchronousCommit: "on" },
  place: (url) => url.replace(/\/\/[^@]*@/, "//"),
});
