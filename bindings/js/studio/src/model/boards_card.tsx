import { Card } from "../parts/card";
import { exact } from "../parts/format";
import { Table, type Column } from "../parts/table";
import { facts, model } from "../state";
import { boards, judged, type Judged } from "./boards";

const COLUMNS: Column[] = [
  { title: "Board" },
  { title: "Holds it" },
  { title: "RAM left for it", numeric: true },
  { title: "Flash for it", numeric: true },
  { title: "Bits" },
];

/** The boards that hold the model beside their firmware, and what the others lack. */
export function BoardsCard() {
  if (!boards.value.length) return null;
  const found = judged(facts.value!.requirements.arenaSize, model.value!.image.length);
  const count = found.filter(({ lacks }) => !lacks.length).length;
  return (
    <Card title="Boards" hint={`${count} of ${found.length} boards hold it beside their firmware.`}>
      <Table label="Boards" columns={COLUMNS} rows={found.map(rowOf)} />
    </Card>
  );
}

function rowOf({ board, lacks }: Judged) {
  return [
    <>{board.title} <small class="soft">{board.name}</small></>,
    lacks.length ? <span class="bad">lacks {lacks.join(" and ")}</span> : <span class="good">yes</span>,
    exact(board.arena_available),
    exact(board.image_area),
    board.profile === "strict" ? "as this page's" : "last bits differ",
  ];
}
