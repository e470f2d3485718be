import { render } from "preact";
import { App } from "./app";
import { takeDrops } from "./drop";
import { awaitInstallOffer } from "./offline/install";
import { keepOffline } from "./offline/update";
import "uplot/dist/uPlot.min.css";
import "./style/tokens.css";
import "./style/base.css";
import "./style/layout.css";
import "./style/controls.css";
import "./style/offline.css";
import "./style/model.css";
import "./style/training.css";
import "./style/board.css";

render(<App />, document.getElementById("app")!);
takeDrops();
awaitInstallOffer();
void keepOffline();
