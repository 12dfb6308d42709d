from typing import Any
import os
async def test_try(chat: Any, shop: Any) -> None:
    from pathlib import Path
    for line in Path(os.environ["TRY"]).read_text().splitlines():
        line=line.strip()
        if not line: continue
        print("\n>>",line)
        if line.startswith("!"):
            kind=line[1:].split()[0]; nth=int((line.split()+["0"])[1])
            a=await chat.press(a["turns"][-1],kind,nth)
        else:
            a=await chat.say(line)
        for t in a["turns"]:
            if t["role"]!="user": print("  [%s/%s]"%(t["agent"],t["type"]),t["content"],[x["kind"]+(":"+x["target"][:8] if x.get("target") else "") for x in t["actions"]][:6])
    print(shop.rentals())
