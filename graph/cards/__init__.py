"""From what tools answered to turns: contract facts, actions, and the desk where a node writes its turns."""
