// The program `mdns`: each command is an entry of the list that `Program` holds.
print(Program.help(for: Program.commands))
